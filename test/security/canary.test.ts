import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { ask } from '../harness/client.ts'
import { OPERATOR_TOKEN, registerTestSession } from '../harness/gateway.ts'
import { hostSessions, startProcess } from '../harness/process.ts'
import { newPlace, openStore, type Place, STORES } from '../harness/stores.ts'

vi.setConfig({ testTimeout: 180_000 })

const TEXT = 'canary-text-7f3a'
const PASSWORD = 'canary-password-91'

/** Everything that the database holds, as bytes. */
async function dump(place: Place): Promise<Buffer> {
  if (place.databaseUrl === null) {
    const files = readdirSync(place.dataDir).filter(name => name.startsWith('postern.db'))
    return Buffer.concat(files.map(name => readFileSync(join(place.dataDir, name))))
  }
  const client = new pg.Client({ connectionString: place.databaseUrl })
  await client.connect()
  const { rows } = await client.query("select table_name from information_schema.tables where table_schema = 'public'")
  const parts: string[] = []
  for (const { table_name } of rows)
    parts.push(JSON.stringify((await client.query(`select * from ${table_name}`)).rows))
  await client.end()
  return Buffer.from(
    parts
      .join('\n')
      .replace(/"data":\[[\d,]*\]/g, bytes => Buffer.from(JSON.parse(bytes.slice(7)) as number[]).toString('latin1')),
  )
}

describe.each(STORES)('secrets and content at rest and in logs on %s', kind => {
  it('no key, secret, password or content is in the database, the log or an error', async () => {
    const place = await newPlace(kind)
    const first = await startProcess(place, { POSTERN_LOG_LEVEL: 'debug' })
    const body = { name: 'x', plan: 'max', accept_tos: true, email: 'ann@example.com', password: PASSWORD }
    const { json } = await ask(first.url, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body })
    const key = json.api_key.key as string
    first.kill('SIGTERM')
    await first.exited
    const store = await openStore(place)
    const session = await registerTestSession(store, json.account.id, true)
    await store.close()

    const gateway = await startProcess(place, { POSTERN_LOG_LEVEL: 'debug' })
    hostSessions(place)
    const call = (method: string, path: string, sent?: unknown) => ask(gateway.url, method, path, { key, body: sent })
    const canaries = [TEXT, PASSWORD, key.slice(4), OPERATOR_TOKEN]
    const answers = [
      await call('POST', '/v1/messages', {
        session_id: session.id,
        to: '15550001111',
        text: TEXT,
        quoted_message_id: 'Q',
        quoted_text: TEXT,
      }),
      await call('POST', '/v1/messages', {
        session_id: session.id,
        to: '15550001111',
        media_type: 'image',
        media_url: `https://example.com/${TEXT}`,
        text: TEXT,
      }),
      await call('POST', '/v1/messages', {
        session_id: session.id,
        to: '15550001111',
        location: { latitude: 1, longitude: 2, name: TEXT },
      }),
      await call('POST', '/v1/messages', { session_id: session.id, to: TEXT, text: TEXT }),
      await call('POST', '/v1/messages', `{"text":"${TEXT}"`),
      await call('POST', `/v1/sessions/${encodeURIComponent(session.id)}/calls/auto-reject`, {
        enabled: true,
        message: TEXT,
      }),
      await call('GET', `/v1/messages?cursor=${TEXT}`),
      await call('GET', `/v1/nothing/${TEXT}?key=${key}`),
      await ask(gateway.url, 'GET', '/v1/me', { key: `${key}x` }),
    ]
    expect(answers.map(answer => answer.status)).toEqual([202, 202, 202, 400, 400, 200, 400, 404, 401])
    const message = answers[0]!.json.message_id
    expect((await call('PATCH', `/v1/messages/${message}`, { text: `${TEXT} edited` })).status).toBe(202)
    const webhook = (await call('POST', '/v1/webhooks', { session_id: session.id })).json
    const rotated = (await call('POST', `/v1/webhooks/${webhook.id}/rotate-secret`, { overlap_seconds: 60 })).json
    canaries.push(webhook.secret.slice(6), rotated.secret.slice(6))
    for (const answer of answers.filter(each => each.status >= 400)) expect(answer.text).not.toContain(TEXT)
    gateway.kill('SIGTERM')
    await gateway.exited

    const stored = await dump(place)
    expect(stored.includes(message)).toBe(true)
    const logs = first.stdout() + first.stderr() + gateway.stdout() + gateway.stderr()
    expect(gateway.stdout()).toContain('"msg":"request"')
    for (const canary of canaries) {
      expect(stored.includes(canary), `${canary} in the database`).toBe(false)
      expect(
        stored.includes(Buffer.from(canary).toString('base64').slice(0, 12)),
        `${canary} in the database, base64`,
      ).toBe(false)
      expect(logs.includes(canary), `${canary} in the log`).toBe(false)
    }
    expect(execFileSync('ls', ['-l', place.dataDir]).toString()).not.toContain('core')
    place.remove()
  })
})

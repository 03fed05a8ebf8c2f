import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { ask } from '../harness/client.ts'
import { OPERATOR_TOKEN, registerTestSession } from '../harness/gateway.ts'
import { hostSessions, startProcess } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { newPlace, ONE_STORE, openStore, type Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const TEXT = 'canary-text-7f3a'
const PASSWORD = 'canary-password-91'

/** Everything in the database as bytes: the files with their log, or every value of every table. */
async function dump(place: Place): Promise<Buffer> {
  if (place.databaseUrl === null) {
    const files = readdirSync(place.dataDir).filter(name => name.startsWith('postern.db'))
    return Buffer.concat(files.map(name => readFileSync(join(place.dataDir, name))))
  }
  const client = new pg.Client({ connectionString: place.databaseUrl })
  await client.connect()
  const tables = await client.query(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  )
  const parts: Buffer[] = []
  for (const { name } of tables.rows) {
    const { rows } = await client.query({ text: `select * from "${name}"`, rowMode: 'array' })
    for (const value of rows.flat() as unknown[]) {
      parts.push(Buffer.isBuffer(value) ? value : Buffer.from(String(value)), Buffer.from('\n'))
    }
  }
  await client.end()
  return Buffer.concat(parts)
}

/** The encodings in which content may occur: plain, escaped as JSON, in hex, and in base64 at any offset. */
function shapesOf(canary: string | Buffer): Buffer[] {
  const bytes = Buffer.from(canary as string)
  const escaped = bytes
    .toString('utf8')
    .replace(/[^\x20-\x7e]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const base64 = [0, 1, 2].map(offset => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    return text.slice(offset === 0 ? 0 : 4, Math.floor(((bytes.length + offset) * 8) / 24) * 4)
  })
  const hex = bytes.toString('hex')
  return [bytes, ...[escaped, hex, hex.toUpperCase(), ...base64].map(text => Buffer.from(text))]
}

function expectNoneOf(canaries: Array<string | Buffer>, where: string, bytes: Buffer): void {
  for (const canary of canaries) {
    for (const shape of shapesOf(canary)) {
      expect(bytes.includes(shape), `"${canary}" as "${shape}" in ${where}`).toBe(false)
    }
  }
}

describe.each(ONE_STORE)('Secrets and content at rest and in logs on %s', kind => {
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
    expect(gateway.stdout()).toContain('"msg":"request.answered"')
    expectNoneOf(canaries, 'the database', stored)
    expectNoneOf(canaries, 'the log', Buffer.from(logs))
    expect(execFileSync('ls', ['-l', place.dataDir]).toString()).not.toContain('core')
    place.remove()
  })

  it('no content that people write and send is in the database, the history, the log or an error', async () => {
    const place = await newPlace(kind)
    const receiver = await startReceiver(got => ({
      status: got.path === '/broken' ? 500 : 200,
      body: got.body.toString().slice(0, 900),
    }))
    const gateway = await startProcess(place, {
      POSTERN_ROLES: 'api,worker,dispatcher,simulator',
      POSTERN_RETRY_DELAYS: '50ms,50ms,50ms',
      POSTERN_LOG_LEVEL: 'debug',
    })
    const made = await ask(gateway.url, 'POST', '/operator/accounts', {
      key: OPERATOR_TOKEN,
      body: { name: 'x', plan: 'max', accept_tos: true },
    })
    const key = made.json.api_key.key as string
    const call = async (method: string, path: string, status: number, sent?: unknown) => {
      const answer = await ask(gateway.url, method, path, { key, body: sent })
      expect(answer.status, answer.text).toBe(status)
      return answer
    }
    const session = (await call('POST', '/v1/sessions', 201, { platform: 'sandbox' })).json.id as string
    const webhook = (
      await call('POST', '/v1/webhooks', 201, {
        session_id: session,
        messages_url: receiver.url('/ok'),
        status_url: receiver.url('/broken'),
      })
    ).json
    const word = (name: string) => `canary-${name}-Zoë-${randomBytes(6).toString('hex')}`
    const said = { text: word('text'), caption: word('caption'), name: word('name'), question: word('question') }
    const more = { option: word('option'), other: word('other'), place: word('place'), button: word('button') }
    const sends = { sent: word('sent'), asked: word('asked'), choice: word('choice'), choice2: word('choice2') }
    const file = randomBytes(900)
    const from = '15550007777'
    const incoming = `/sandbox/sessions/${encodeURIComponent(session)}/incoming`
    const write = (body: object) => call('POST', incoming, 202, { from, from_name: said.name, ...body })
    await write({ type: 'text', text: said.text })
    const media = { mimetype: 'image/png', data: file.toString('base64') }
    await write({ type: 'image', text: said.caption, media })
    await write({
      type: 'poll',
      poll: { name: said.question, options: [more.option, more.other], selectable_count: 1 },
    })
    await write({ type: 'location', location: { latitude: 48.137154009, longitude: 11.576124007, name: more.place } })
    await write({ type: 'button_response', button_response: { id: 'yes', text: more.button } })
    const to = { session_id: session, to: from }
    await call('POST', '/v1/messages', 202, { ...to, text: sends.sent })
    const poll = { name: sends.asked, options: [sends.choice, sends.choice2], selectable_count: 1 }
    await call('POST', '/v1/messages', 202, { ...to, poll })
    const refused = await call('POST', '/v1/messages', 400, { ...to, text: sends.sent, unknown: sends.sent })

    const expected = [...Object.values(said), ...Object.values(more), file.toString('base64'), '48.137154009']
    const arrived = () => Buffer.concat(receiver.ledger.filter(got => got.path === '/ok').map(got => got.body))
    await receiver.until(() => expected.every(content => arrived().includes(content)))
    const dead = async () => (await call('GET', '/v1/deliveries?status=dead', 200)).json.data.length as number
    await until(async () => (await dead()) >= 2)
    await until(async () => (await call('GET', '/v1/deliveries?status=pending', 200)).json.data.length === 0)
    const history = [await call('GET', '/v1/deliveries', 200), await call('GET', '/v1/deliveries?status=dead', 200)]
    gateway.kill('SIGKILL')
    await gateway.exited

    const content = [...Object.values(said), ...Object.values(more), ...Object.values(sends), file, '48.137154009']
    const secrets = [key.slice(4), webhook.secret.slice(6) as string]
    const stored = await dump(place)
    expect(stored.includes(webhook.id as string)).toBe(true)
    expect(gateway.stdout()).toContain('"msg":"request.answered"')
    expectNoneOf([...content, ...secrets], 'the database', stored)
    expectNoneOf([...content, ...secrets], 'the log', Buffer.from(gateway.stdout() + gateway.stderr()))
    expectNoneOf([...content, ...secrets], 'the history', Buffer.from(history.map(each => each.text).join('\n')))
    expectNoneOf([...content, ...secrets], 'an error', Buffer.from(refused.text))
    await receiver.close()
    place.remove()
  })
})

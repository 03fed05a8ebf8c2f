import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildVersion, oldestCommit } from '../../bench/upgrade/versions.mjs'
import { ask } from '../harness/client.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { follow, readyUrl, type Running, settingsAside } from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { until } from '../harness/until.ts'

/** The upgrade notes, followed on the embedded database: stop the older version, start this one on the same folder. */
const folder = mkdtempSync(join(tmpdir(), 'postern-upgrade-'))
const START = `import(process.argv[1] + '/dist/bundled/main.js').then(m => m.main(process.argv.slice(2)))`
let older: string
let newer: string
let receiver: Receiver
let running: Running | undefined
beforeAll(async () => {
  older = buildVersion(join(folder, 'older'), { commit: oldestCommit() })
  newer = buildVersion(join(folder, 'newer'), { later: ['accounts', 'sessions', 'messages', 'webhooks'] })
  receiver = await startReceiver()
})
afterAll(async () => {
  running?.kill('SIGKILL')
  await receiver.close()
  rmSync(folder, { recursive: true, force: true })
})

async function start(version: string): Promise<Running & { url: string }> {
  const env = {
    ...settingsAside(),
    POSTERN_PORT: '0',
    POSTERN_DATA_DIR: join(folder, 'data'),
    POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
    POSTERN_LOG_LEVEL: 'error',
  }
  running = follow(spawn(process.execPath, ['-e', START, version, 'start'], { cwd: folder, env }))
  return { ...running, url: await readyUrl(running) }
}

it('an upgrade keeps the data of the previous version: account, key, number, webhook, messages, and waiting ones are sent', async () => {
  const before = await start(older)
  const account = { name: 'Upgrade', plan: 'max', accept_tos: true, limits: { requests_per_second: null } }
  const made = await ask(before.url, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body: account })
  const key: string = made.json.api_key.key
  const number = await ask(before.url, 'POST', '/v1/sessions', { key, body: { platform: 'sandbox' } })
  expect(number.status).toBe(201)
  const session_id: string = number.json.id
  const hooks = { session_id, messages_url: receiver.url(), status_url: receiver.url() }
  expect((await ask(before.url, 'POST', '/v1/webhooks', { key, body: hooks })).status).toBe(201)
  const write = async (url: string, text: string, more: object = {}) => {
    const body = { session_id, to: '+1 555 123 4567', text, ...more }
    const accepted = await ask(url, 'POST', '/v1/messages', { key, body })
    expect(accepted.status).toBe(202)
    return accepted.json.message_id as string
  }
  const stateAt = async (url: string, id: string) => (await ask(url, 'GET', `/v1/messages/${id}`, { key })).json.state
  const sent = await write(before.url, 'before')
  await until(async () => ['sent', 'delivered', 'read'].includes(await stateAt(before.url, sent)))
  const waiting = await write(before.url, 'later', { send_at: new Date(Date.now() + 15_000).toISOString() })
  before.kill('SIGTERM')
  expect(await before.exited).toMatchObject({ code: 0 })

  const after = await start(newer)
  const sessions = await ask(after.url, 'GET', '/v1/sessions', { key })
  expect(sessions.status).toBe(200)
  expect(JSON.stringify(sessions.json)).toContain(session_id)
  expect(['sent', 'delivered', 'read']).toContain(await stateAt(after.url, sent))
  await until(async () => ['sent', 'delivered', 'read'].includes(await stateAt(after.url, waiting)))
  const next = await write(after.url, 'after')
  await until(async () => ['sent', 'delivered', 'read'].includes(await stateAt(after.url, next)))
  after.kill('SIGTERM')
  expect(await after.exited).toMatchObject({ code: 0 })
})

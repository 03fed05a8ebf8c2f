import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from './harness/gateway.ts'

const run = promisify(execFile)
const RUNTIMES = {
  Node: { program: process.execPath, args: [] },
  Deno: {
    installed: 'deno@2.9.6',
    program: 'node_modules/@deno/linux-x64-glibc/deno',
    args: ['run', '--no-config', '--allow-net', '--allow-env', '--allow-read'],
  },
  Bun: { installed: 'bun@1.4.4', program: 'node_modules/@oven/bun-linux-x64/bin/bun', args: ['run'] },
}
const folder = mkdtempSync(join(tmpdir(), 'postern-runtimes-'))
const script = join(folder, 'check.mjs')
const SECRET = 'whsec_of_a_test'
let gateway: TestGateway
let env: Record<string, string>

/** A send, its repeat, an error, a valid signature and an invalid one: what a customer's program does. */
const CHECK = `
import { PosternClient, respondToWebhook, verifyWebhook } from ${JSON.stringify(resolve(import.meta.dirname, '../sdk/dist/index.js'))}
const { POSTERN_URL, POSTERN_KEY, POSTERN_SESSION, BODY, HEADER, SECRET, RUNTIME } = globalThis.process.env
const postern = new PosternClient({ baseUrl: POSTERN_URL, apiKey: POSTERN_KEY })
const message = { session_id: POSTERN_SESSION, to: '15550001111', text: '¿Qué tal? 😀' }
const first = await postern.send(message, { idempotencyKey: RUNTIME })
const again = await postern.send(message, { idempotencyKey: RUNTIME })
const refused = await postern.send({ ...message, to: '' }).catch(error => [error.name, error.status, error.param])
const event = await verifyWebhook({ payload: BODY, header: HEADER, secret: SECRET })
const forged = await verifyWebhook({ payload: BODY + ' ', header: HEADER, secret: SECRET }).catch(error => error.name)
const handled = []
const respond = respondToWebhook({ secret: SECRET, onEvent: event => void handled.push(event.kind) })
const ask = header => respond(new Request('http://x/', { method: 'POST', body: BODY, headers: { 'x-webhook-signature': header, 'x-webhook-delivery-id': 'd1' } }))
const statuses = [(await ask(HEADER)).status, (await ask('t=1,v1=00')).status]
console.log(JSON.stringify({ same: first.message_id === again.message_id, refused, kind: event.kind, forged, handled, statuses }))
`

beforeAll(async () => {
  const packages = Object.values(RUNTIMES).flatMap(runtime => ('installed' in runtime ? [runtime.installed] : []))
  await run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], {
    cwd: folder,
  })
  for (const { program } of Object.values(RUNTIMES))
    if (program.startsWith('node_modules')) chmodSync(join(folder, program), 0o755)
  writeFileSync(script, CHECK)
  gateway = await startTestGateway('sqlite', { POSTERN_ROLES: 'api' })
  const account = await gateway.account()
  const session = await gateway.session(account)
  const body = JSON.stringify({ kind: 'message', text: '¿Qué tal? 😀' })
  const seconds = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex')
  env = {
    POSTERN_URL: gateway.url,
    POSTERN_KEY: account.key,
    POSTERN_SESSION: session.id,
    BODY: body,
    HEADER: `t=${seconds},v1=${signature}`,
    SECRET,
    HOME: folder,
    PATH: process.env['PATH']!,
  }
})
afterAll(async () => {
  await gateway.stop()
  rmSync(folder, { recursive: true, force: true })
})

it.each(Object.entries(RUNTIMES))('the client library works on %s', async (name, { program, args }) => {
  const { stdout } = await run(resolve(folder, program), [...args, script], { env: { ...env, RUNTIME: name } })
  expect(JSON.parse(stdout)).toEqual({
    same: true,
    refused: ['PosternError', 400, 'to'],
    kind: 'message',
    forged: 'WebhookVerificationError',
    handled: ['message'],
    statuses: [204, 401],
  })
})

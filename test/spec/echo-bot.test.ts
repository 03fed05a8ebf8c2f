import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { needProgram } from '../harness/programs.ts'
import { until } from '../harness/until.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'examples/echo-bot')

let gateway: TestGateway
let account: TestAccount
let session = ''

beforeAll(async () => {
  gateway = await startTestGateway('sqlite', { POSTERN_ROLES: 'api,worker,dispatcher,simulator' })
  account = await gateway.account()
  session = (await account.ask('POST', '/v1/sessions', { platform: 'sandbox' })).json.id
})
afterAll(() => gateway.stop())

/** Starts the bot as its README says, for the gateway of this file or a server at `url`. */
function startBot(program: string, args: string[], url = gateway.url): { bot: ChildProcess; printed: () => string } {
  const bot = spawn(program, args, {
    cwd: FOLDER,
    env: {
      PATH: process.env.PATH,
      PYTHONPATH: '../../sdk/python',
      PYTHONDONTWRITEBYTECODE: '1',
      POSTERN_URL: url,
      POSTERN_API_KEY: account.key,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [bot.stdout, bot.stderr]) stream.on('data', (data: Buffer) => (printed += data.toString()))
  return { bot, printed: () => printed }
}

function compile(): [string, string[]] {
  const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc')], {
    cwd: FOLDER,
    encoding: 'utf8',
  })
  expect([status, stdout]).toEqual([0, ''])
  return [process.execPath, ['dist/echo-bot.js']]
}

const BOTS = [
  ['TypeScript', '15551230001', compile],
  [
    'Python',
    '15551230002',
    (): [string, string[]] => [needProgram('python3', 'python3'), ['-W', 'error', 'echo_bot.py']],
  ],
] as const

test.each(BOTS)('the example in %s answers each text with the same text, once', async (_, contact, command) => {
  const { bot, printed } = startBot(...command())
  try {
    await until(() => printed().includes('Listening'))
    for (const text of ['first', 'second']) {
      const incoming = { from: contact, type: 'text', text }
      await account.ask('POST', `/sandbox/sessions/${encodeURIComponent(session)}/incoming`, incoming)
    }
    const phone = `/sandbox/sessions/${encodeURIComponent(session)}/messages?contact=${contact}`
    const texts = async () =>
      ((await account.ask('GET', phone)).json.data as Array<{ text: string }>).map(({ text }) => text).sort()
    await until(async () => {
      expect(bot.exitCode, printed()).toBe(null)
      return (await texts()).length === 4
    })
    expect(await texts()).toEqual(['first', 'first', 'second', 'second'])
  } finally {
    bot.kill()
    rmSync(join(FOLDER, 'dist'), { recursive: true, force: true })
  }
})

/** A gateway with one number that has received these messages, and that answers each send with the next status. */
async function startServer(messages: object[], statuses: number[]) {
  const sends: Array<{ to: string; key: string | undefined }> = []
  const event = (payload: object, n: number) => ({ cursor: String(n), kind: 'message', body: JSON.stringify(payload) })
  const answers: Record<string, () => [number, object]> = {
    'GET /v1/sessions': () => [200, { data: [{ jid: OWN, phone: '999101' }], next_cursor: null }],
    'POST /v1/listeners': () => [201, { id: 'lsn_1', cursor: '0' }],
    'GET /v1/listeners/lsn_1/events': () => [
      200,
      { data: messages.splice(0).map(event), cursor: String(messages.length), missed: 0 },
    ],
    'POST /v1/messages': () => [statuses.shift() ?? 202, { error: 'rejected' }],
  }
  const server = createServer((request, response) => {
    void text(request).then(body => {
      const route = `${request.method} ${request.url!.split('?')[0]}`
      const [status, json] = answers[route]!()
      if (route === 'POST /v1/messages')
        sends.push({ to: JSON.parse(body).to, key: request.headers['idempotency-key'] as string })
      response
        .writeHead(status, { 'content-type': 'application/json', 'retry-after': '86400' })
        .end(JSON.stringify(json))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, sends, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const OWN = '999101@s.whatsapp.net'
const received = (sender: string, message_id: string, more: object = {}) => ({
  kind: 'message',
  type: 'text',
  text: 'hi',
  is_group: false,
  broadcast: false,
  session_id: OWN,
  sender_jid: sender,
  chat_jid: sender,
  message_id,
  ...more,
})

test.each(BOTS)(
  'the example in %s goes on after a rejected send, and answers neither empty texts nor own numbers',
  async (_, _contact, command) => {
    const messages = [
      received('1@s.whatsapp.net', 'A', { text: '' }),
      received(OWN, 'B'),
      received('7@lid', 'C', { sender_phone: '999101' }),
      ...['2', '3', '4', '5'].map(sender => received(`${sender}@s.whatsapp.net`, 'D')),
    ]
    const { server, sends, url } = await startServer(messages, [400, 409, 429])
    const { bot, printed } = startBot(...command(), url)
    try {
      await until(() => {
        expect(bot.exitCode, printed()).toBe(null)
        return printed().includes('Answered D')
      })
      expect(sends).toEqual(
        ['2', '3', '4', '5'].map(sender => ({
          to: `${sender}@s.whatsapp.net`,
          key: `echo/${OWN}/${sender}@s.whatsapp.net/D`,
        })),
      )
    } finally {
      bot.kill()
      server.close()
      server.closeAllConnections()
      rmSync(join(FOLDER, 'dist'), { recursive: true, force: true })
    }
  },
)

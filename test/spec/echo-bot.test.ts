import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
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

/** Starts the bot as its README says; returns it and its output. */
function startBot(program: string, args: string[]): { bot: ChildProcess; printed: () => string } {
  const bot = spawn(program, args, {
    cwd: FOLDER,
    env: {
      PATH: process.env.PATH,
      PYTHONPATH: '../../sdk/python',
      PYTHONDONTWRITEBYTECODE: '1',
      POSTERN_URL: gateway.url,
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

test.each([
  ['TypeScript', '15551230001', compile],
  [
    'Python',
    '15551230002',
    (): [string, string[]] => [needProgram('python3', 'python3'), ['-W', 'error', 'echo_bot.py']],
  ],
] as const)('the example in %s answers each text with the same text, once', async (_, contact, command) => {
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

import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask } from '../harness/client.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { type GatewayProcess, runPostern, startProcess } from '../harness/process.ts'
import { newPlace, type Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const NUMBER = '999470000001'
const OTHER = '15550006666'

let place: Place
let gateway: GatewayProcess
let key: string
let env: Record<string, string>

beforeAll(async () => {
  place = await newPlace('sqlite')
  gateway = await startProcess(place, { POSTERN_ROLES: 'api,worker,dispatcher,simulator' })
  const body = { name: 'Trial', plan: 'max', accept_tos: true }
  key = (await ask(gateway.url, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body })).json.api_key.key
  env = { ...place.env, POSTERN_PORT: new URL(gateway.url).port, POSTERN_API_KEY: key }
})
afterAll(async () => {
  gateway.kill('SIGTERM')
  await gateway.exited
  place.remove()
})

async function run(args: string[], more: Record<string, string> = env) {
  const running = runPostern(['trial', ...args], more)
  const { code } = await running.exited
  return { code, stdout: running.stdout(), stderr: running.stderr() }
}

interface Outcome {
  step: string
  result: string
  note: string
}

it('postern trial links a number and tests it from a text to a drop, with the sandbox as the second phone', async () => {
  const { code, stdout, stderr } = await run(['--link', NUMBER, '--to', OTHER, '--json'])
  const report = JSON.parse(stdout) as {
    steps: Outcome[]
    ok: number
    failed: number
    network: string
    library: string
  }
  expect(report.steps.filter(({ result }) => result !== 'ok')).toEqual([])
  expect(code).toBe(0)
  expect(report).toMatchObject({ network: 'sandbox', failed: 0, ok: report.steps.length })
  const names = report.steps.map(({ step }) => step).join('\n')
  for (const part of ['send text', 'send image', 'send poll', 'receive an edit', 'a group', 'a drop', 'revoke'])
    expect(names).toContain(part)
  expect(stderr).toMatch(/^ok {6}send text \(sent after [\d.]+ s/m)
  for (const said of [stdout, stderr]) {
    expect(said).not.toMatch(new RegExp(`${NUMBER}|${OTHER}|Postern trial:|ptn_`))
    // The version of the web client is the only long number.
    expect(said.replace(/"web_version": "2\.3000\.\d+"/, '')).not.toMatch(/\d{7}/)
  }
  // Its temporary webhook is removed.
  const webhooks = await ask(gateway.url, 'GET', '/v1/webhooks', { key })
  expect(webhooks.json.data.filter(({ active }: { active: boolean }) => active)).toEqual([])
})

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('postern trial removes its webhook after %s', async (signal, expected) => {
  const sessions = await ask(gateway.url, 'GET', '/v1/sessions', { key })
  const running = runPostern(['trial', '--session', sessions.json.data[0].id, '--to', OTHER], env)
  await until(() => running.stderr().includes('linked and connected'))
  running.kill(signal)
  expect((await running.exited).code).toBe(expected)
  const webhooks = await ask(gateway.url, 'GET', '/v1/webhooks', { key })
  expect(webhooks.json.data.filter(({ active }: { active: boolean }) => active)).toEqual([])
})

it('postern trial reports failed steps with their reason and skipped steps as skipped, and exits with 1', async () => {
  const sessions = await ask(gateway.url, 'GET', '/v1/sessions', { key })
  const { id } = sessions.json.data[0]
  const skip = ['--skip', 'change,receive,receipts,groups,drop', '--wait', '5']
  const { code, stdout } = await run(['--session', id, '--to', '15550000404', ...skip, '--url', gateway.url])
  expect(code).toBe(1)
  expect(stdout).toMatch(/^Postern \d.*, baileys \S+, web version .*, Node v\d+.*, network sandbox, \d{4}-\d\d-\d\d$/m)
  expect(stdout).toMatch(/^step +result +took +note$/m)
  expect(stdout).toMatch(/^send text +failed +[\d.]+ s {2}failed: INVALID_RECIPIENT/m)
  expect(stdout).toMatch(/^a drop, and a text after it +skipped +0\.0 s {2}left out$/m)
  expect(stdout).toMatch(/^\d+ ok, \d+ failed, \d+ skipped\. There is no number/m)
})

it.each([
  [['--session', 'x'], /^postern: --to is missing/],
  [['--to', OTHER], /^postern: name the number: --session .* or --link/],
  [['--session', 'a', '--link', 'b', '--to', OTHER], /^postern: name the number/],
  [['--session', 'x', '--to', OTHER, '--skip', 'all'], /^postern: --skip names "all": choose from send, change/],
  [['--session', 'x', '--to', OTHER], /^postern: --session: the gateway answered 40\d/],
  [['--session', 'x', '--to', OTHER, '--key', 'ptn_no'], /^postern: the gateway does not know this key/m],
  [['--session', 'x', '--to', OTHER, '--url', 'http://127.0.0.1:1'], /^postern: no gateway answers at/],
])('postern trial rejects %j in one line', async (args, text) => {
  const { code, stdout, stderr } = await run(args)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(text)
})

it('postern trial --help says that it sends real messages', async () => {
  const { code, stdout } = await run(['--help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^postern trial --session/)
  expect(stdout.replace(/\s+/g, ' ')).toContain('The trial sends about fifteen real messages from the number')
})

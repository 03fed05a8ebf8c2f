import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, ask, expectError } from '../harness/client.ts'
import { runCommand } from '../harness/command.ts'
import { type GatewayProcess, startProcess } from '../harness/process.ts'
import { newPlace, type Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const production = {
  POSTERN_MODE: 'production',
  POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  POSTERN_PUBLIC_URL: 'https://gateway.example.com',
  POSTERN_OPERATOR_TOKEN: '',
}

async function end(gateway: GatewayProcess): Promise<void> {
  gateway.kill('SIGTERM')
  await gateway.exited
}

const accessFiles = (place: Place): string[] => {
  const folder = join(place.dataDir, 'running')
  return readdirSync(folder).map(name => join(folder, name))
}

/** The state of a reader's shell before the block is pasted. */
const BARE = { PATH: process.env['PATH'], HOME: process.env['HOME'] }

/** The text of a code block on a page, by its name. */
function copied(page: string, name: string): string {
  const html = page.split(`aria-label="${name}"><code>`)[1]!.split('</code>')[0]!
  const entities: Record<string, string> = { quot: '"', lt: '<', gt: '>', amp: '&' }
  return html.replace(/<[^>]+>/g, '').replace(/&(\w+);/g, (_, entity) => entities[entity]!)
}

describe('The first start in development', () => {
  let place: Place
  let gateway: GatewayProcess
  let [key, session] = ['', '']
  beforeAll(async () => {
    place = await newPlace('sqlite')
    gateway = await startProcess(place, { POSTERN_ROLES: '', POSTERN_OPERATOR_TOKEN: '' })
    await until(() => /^export POSTERN_SESSION=/m.test(gateway.stdout()))
    key = /^export POSTERN_API_KEY=(ptn_\w{40})$/m.exec(gateway.stdout())![1]!
    session = /^export POSTERN_SESSION=(999\d+:\d+@s\.whatsapp\.net)$/m.exec(gateway.stdout())![1]!
  })
  afterAll(async () => {
    await end(gateway)
    place.remove()
  })

  it('prints a key and a connected sandbox number that can send immediately', async () => {
    const number = await ask(gateway.url, 'GET', `/v1/sessions/${encodeURIComponent(session)}`, { key })
    expect(number.json).toMatchObject({ id: session, platform: 'sandbox', state: 'connected' })
    const body = { session_id: session, to: '+1 555 123 4567', text: 'Hello' }
    expect((await ask(gateway.url, 'POST', '/v1/messages', { key, body })).status).toBe(202)
  })

  it('prints the variables that the samples of the documentation read, so that a copied sample runs unchanged', async () => {
    const exported = gateway.stdout().match(/^(cd|export) .*$/gm)!
    const page = await ask(gateway.url, 'GET', '/docs/quick-start', { headers: { accept: 'text/html' } })
    const sample = copied(page.text, 'POST /v1/messages, curl')
    const { stdout } = await promisify(execFile)('bash', ['-c', [...exported, sample].join('\n')], { env: BARE })
    expect(JSON.parse(stdout)).toMatchObject({ status: 'queued', request_id: 'hello-1' })
  })

  it('prints a block to paste that shows the events of its own send and of the contact who writes', async () => {
    const block = /^cd [^]*?(?=\n\n)/m.exec(gateway.stdout())![0]
    const bin = join(import.meta.dirname, '../../bin/postern.mjs')
    // The tests start the program by another file than a user does.
    const pasted = block.replace(/^node \S+ (?=send|trigger)/gm, `${process.execPath} ${bin} `)
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', pasted], { env: BARE })
    expect(stderr).toBe('')
    const events = stdout.match(/\b(status\.sent|receipt\.delivered|receipt\.read|message\.text)\b/g)
    expect(events).toEqual(['status.sent', 'receipt.delivered', 'receipt.read', 'message.text'])
  })

  it('creates them in the account that the printed link opens', async () => {
    const token = /\/sign-in#([\w-]{43}) /.exec(gateway.stdout())![1]!
    const headers = { origin: gateway.url, 'sec-fetch-site': 'same-origin' }
    const entered = await ask(gateway.url, 'POST', '/portal/api/sign-in/link', { body: { token }, headers })
    const cookie = entered.headers['set-cookie']![0]!.split(';')[0]!
    const seen = await ask(gateway.url, 'GET', '/portal/api/v1/sessions', { headers: { cookie } })
    expect(seen.json.data.map((each: { id: string }) => each.id)).toEqual([session])
  })

  it('writes an access file for commands that only the owner of the folder can read', async () => {
    const [path] = accessFiles(place)
    expect([statSync(path!).mode & 0o777, statSync(join(place.dataDir, 'running')).mode & 0o777]).toEqual([
      0o600, 0o700,
    ])
    const { token, url } = JSON.parse(readFileSync(path!, 'utf8'))
    expect(url).toBe(gateway.url)
    const me = (headers: Record<string, string>): Promise<Answer> => ask(url, 'GET', '/v1/me', { key: token, headers })
    expect((await me({})).json.account.name).toBe('My account')
    expectError(await me({ 'x-postern-account': 'acc_nothing' }), 404)
    // A request through a proxy counts as coming from elsewhere.
    expectError(await me({ 'x-forwarded-for': '203.0.113.7' }), 401)
    expectError(await ask(url, 'GET', '/v1/me', { key: `${token.slice(0, -1)}!` }), 401)
  })

  it('happens once: a restart creates and prints neither, and uses another token', async () => {
    const before = readFileSync(accessFiles(place)[0]!, 'utf8')
    await end(gateway)
    expect(accessFiles(place)).toEqual([])
    gateway = await startProcess(place, { POSTERN_ROLES: '', POSTERN_OPERATOR_TOKEN: '' })
    await until(async () => {
      const { json } = await ask(gateway.url, 'GET', '/v1/sessions', { key })
      return json.data.length === 1 && json.data[0].state === 'connected'
    })
    expect(gateway.stdout()).not.toMatch(/ptn_|POSTERN_SESSION/)
    expectError(await ask(gateway.url, 'GET', '/v1/me', { key: JSON.parse(before).token }), 401)
  })
})

describe('In production', () => {
  it('the first start creates neither key nor number; commands reach it without a token, and a killed process leaves no usable access file', async () => {
    const place = await newPlace('sqlite')
    const gateway = await startProcess(place, production)
    expect(gateway.stdout()).not.toMatch(/ptn_|POSTERN_SESSION/)
    const env = { ...place.env, ...production }
    const made = await runCommand(['account', 'create', '--name', 'Acme', '--accept-tos'], env)
    expect([made.code, made.stderr]).toEqual([0, ''])
    const { account } = JSON.parse(made.stdout)
    const key = await runCommand(['keys', 'create', '--account', account.id, '--label', 'ops'], env)
    expect((await ask(gateway.url, 'GET', '/v1/me', { key: JSON.parse(key.stdout).key })).json.account.id).toBe(
      account.id,
    )
    gateway.kill('SIGKILL')
    await gateway.exited
    expect(accessFiles(place)).toHaveLength(1)
    const alone = await runCommand(['keys', 'create', '--account', account.id, '--label', 'later'], env)
    expect([alone.code, alone.stderr]).toEqual([0, ''])
    const next = await startProcess(place, production)
    expect(accessFiles(place)).toHaveLength(1)
    await end(next)
    place.remove()
  })

  it('two processes with one folder both accept commands, and each removes only its own access file', async () => {
    const place = await newPlace('postgres')
    const [one, two] = [await startProcess(place, production), await startProcess(place, production)]
    expect(accessFiles(place)).toHaveLength(2)
    await end(two)
    expect(accessFiles(place)).toHaveLength(1)
    const made = await runCommand(['account', 'create', '--name', 'Acme'], { ...place.env, ...production })
    expect([made.code, made.stderr]).toEqual([0, ''])
    expect((await ask(one.url, 'GET', '/healthz')).status).toBe(200)
    await end(one)
    place.remove()
  })
})

describe('The .env file in the working folder', () => {
  it('gives the settings that the environment does not set; a bad line is named only by its number', async () => {
    const place = await newPlace('sqlite')
    const at = (text: string, env: Record<string, string> = {}) => {
      writeFileSync(join(place.dataDir, '.env'), text)
      return runCommand(['migrate'], { ...env, ...place.env }, place.dataDir)
    }
    expect((await at('POSTERN_PORT=hunter2')).stderr).toMatch(/^postern: POSTERN_PORT is "hunter2"/)
    expect((await at('POSTERN_PORT=hunter2', { POSTERN_PORT: '0' })).code).toBe(0)
    const bad = await at('# settings\nPOSTERN_PORT=0\nhunter2 is my password\n')
    expect([bad.code, bad.stderr]).toEqual([
      1,
      'postern: .env: line 3 is not NAME=value. Correct it, or begin it with #.\n',
    ])
    place.remove()
  })
})

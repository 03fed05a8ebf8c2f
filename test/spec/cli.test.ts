import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from '../harness/client.ts'
import { runCommand } from '../harness/command.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { type GatewayProcess, startProcess } from '../harness/process.ts'
import { cells } from '../harness/matrix.ts'
import { startSmtpServer } from '../harness/smtp-server.ts'
import { newPlace, type Place, STORES } from '../harness/stores.ts'

const run = (args: string[], env: Record<string, string> = {}) => runCommand(args, env)

describe('postern', () => {
  it.each([
    [['--help'], /postern start .*\n[\s\S]*postern doctor[\s\S]*postern account create[\s\S]*postern keys create/],
    [[], /postern start/],
    [['help'], /postern start/],
    [['start', '--help'], /^postern start \[--roles/],
    [['keys', '--help'], /^postern keys <command>\n[^]*postern keys revoke <id>/],
    [['migrate', '--help'], /^postern migrate/],
    [['doctor', '--help'], /^postern doctor/],
    [['account', 'create', '--help'], /^postern account create --name/],
    [['keys', 'create', '-h'], /^postern keys create --label/],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
  ])('%j prints its help', async (args, text) => {
    const { code, stdout, stderr } = await run(args)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(text)
  })

  it.each([
    [['serve'], /^postern: there is no command "serve"\. Run `postern --help`/],
    [['start', '--colour'], /^postern: Unknown option '--colour'/],
    [['account', 'create'], /^postern: --name is missing: give the account a name\.\n$/],
    [
      ['account', 'create', '--name', 'x', '--plan', 'gold'],
      /^postern: --plan is "gold": choose one of free, pro, max\.\n$/,
    ],
    [['keys', 'create'], /^postern: --label is missing/],
    [
      ['keys', 'create', '--account', 'acc_1', '--label', 'x', '--scopes', 'all'],
      /^postern: --scopes names "all": choose from send, read, manage/,
    ],
  ])('%j is rejected in one line', async (args, text) => {
    const { code, stdout, stderr } = await run(args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(text)
  })
})

describe.each(cells(STORES))('The postern commands on %s', kind => {
  let place: Place
  beforeAll(async () => {
    place = await newPlace(kind)
  })
  afterAll(() => place.remove())
  const unused = { POSTERN_PORT: '1' }

  it('postern migrate brings the database up to date and says so', async () => {
    const { code, stdout } = await run(['migrate'], { ...place.env, ...unused })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^The database \(.*\) is at schema version \d+\.\n$/)
    const result = await run(['migrate', '--json'], { ...place.env, ...unused })
    expect(JSON.parse(result.stdout)).toMatchObject({ schema_version: expect.any(Number) })
  })

  it('account create and keys create work without a running gateway', async () => {
    const env = { ...place.env, ...unused }
    const created = await run(['account', 'create', '--name', 'Acme', '--plan', 'pro', '--accept-tos'], env)
    expect([created.code, created.stderr]).toEqual([0, ''])
    const { account, api_key } = JSON.parse(created.stdout)
    expect(account).toMatchObject({ id: expect.stringMatching(/^acc_/), name: 'Acme', plan: 'pro' })
    // There is one account, so the command needs no --account.
    const key = await run(['keys', 'create', '--label', 'ops', '--scopes', 'read'], env)
    const second = JSON.parse(key.stdout)
    expect(second).toEqual({ id: expect.stringMatching(/^key_/), key: expect.stringMatching(/^ptn_/), label: 'ops' })
    const gateway = await startProcess(place)
    // There is an account, but no operator yet.
    expect(gateway.stdout()).toContain('/sign-in#')
    expect((await ask(gateway.url, 'GET', '/v1/sessions', { key: api_key.key })).status).toBe(200)
    expect((await ask(gateway.url, 'GET', '/v1/keys', { key: second.key })).status).toBe(403)
    gateway.kill('SIGTERM')
    await gateway.exited
    const missing = await run(['keys', 'create', '--account', 'acc_nothing', '--label', 'x'], env)
    expect([missing.code, missing.stderr]).toEqual([1, 'postern: --account: there is no account acc_nothing.\n'])
  })

  it('commands reject what the operator API would reject', async () => {
    const env = { ...place.env, ...unused }
    const create = (...args: string[]) => run(['account', 'create', '--name', 'x', ...args], env)
    expect((await create('--email', 'nobody')).stderr).toBe('postern: --email is not an address.\n')
    expect((await create('--email', 'a@b.example', '--password', 'short')).stderr).toContain(
      'postern: --password must have 10 to 200 characters.\n',
    )
    expect((await create('--password', 'correct horse battery')).stderr).toContain(
      'postern: --password needs --email: you sign in with the email.\n',
    )
  })

  it('doctor finds the database, the clock and the port in order', async () => {
    const { stdout } = await run(['doctor'], { ...place.env, POSTERN_PORT: '0' })
    const result = await run(['doctor', '--json'], { ...place.env, POSTERN_PORT: '0' })
    const { findings } = JSON.parse(result.stdout) as { findings: Array<{ check: string; ok: boolean; says: string }> }
    expect(findings).toContainEqual({ check: 'settings', ok: true, says: 'complete' })
    expect(stdout).toMatch(/^ok {4}settings {2}complete$/m)
    expect(stdout).toMatch(/^ok {4}database {2}answers; clock differs by \d+ ms$/m)
    expect(stdout).toMatch(/^ok {4}port {6}127\.0\.0\.1:0 is free$/m)
    expect(stdout).toMatch(/^(ok {2}|FAIL) {2}dns /m)
    expect(stdout).not.toContain('recording')
  })

  it('doctor reports that a recording is on, and where it is written, and tries the mail server', async () => {
    const mails = await startSmtpServer()
    const env = {
      ...place.env,
      POSTERN_PORT: '0',
      POSTERN_SMTP_URL: mails.url,
      POSTERN_SMTP_FROM: 'postern@example.com',
    }
    const folder = join(place.dataDir, 'recording')
    const on = await run(['doctor'], { ...env, POSTERN_RECORD: folder })
    expect(on.stdout).toContain(
      `ok    recording on: the gateway writes the shapes of stanzas to ${folder}. Unset POSTERN_RECORD`,
    )
    const file = join(place.dataDir, 'a-file')
    writeFileSync(file, '')
    const refused = { POSTERN_SMTP_URL: mails.url.replace(':right@', ':wrong@') }
    const wrong = await run(['doctor'], { ...env, ...refused, POSTERN_RECORD: file })
    await mails.close()
    expect(wrong.stdout).toContain(`FAIL  recording POSTERN_RECORD: ${file} cannot be written`)
    expect(on.stdout).toMatch(/^ok {4}mail {6}127\.0\.0\.1:\d+ takes mail from this user$/m)
    expect(wrong.stdout).toMatch(
      /^FAIL {2}mail {6}127\.0\.0\.1:\d+ takes no mail \(EAUTH 535\)\. Check the host, the port/m,
    )
    expect(wrong.stdout).not.toContain(':wrong@')
  })
})

describe('The postern commands next to a running gateway', () => {
  let place: Place
  let gateway: GatewayProcess
  beforeAll(async () => {
    place = await newPlace('sqlite')
    gateway = await startProcess(place)
  })
  afterAll(async () => {
    gateway.kill('SIGTERM')
    await gateway.exited
    place.remove()
  })

  it('use the operator API', async () => {
    const env = { ...place.env, POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN, POSTERN_PORT: new URL(gateway.url).port }
    const created = await run(['account', 'create', '--name', 'Acme', '--accept-tos'], env)
    expect([created.code, created.stderr]).toEqual([0, ''])
    const { account, api_key } = JSON.parse(created.stdout)
    expect((await ask(gateway.url, 'GET', '/v1/sessions', { key: api_key.key })).status).toBe(200)
    const key = await run(['keys', 'create', '--account', account.id, '--label', 'ops', '--url', gateway.url], env)
    expect((await ask(gateway.url, 'GET', '/v1/me', { key: JSON.parse(key.stdout).key })).status).toBe(200)
  })

  it('name what is missing: the token, the gateway, the account', async () => {
    const port = new URL(gateway.url).port
    const elsewhere = { ...place.env, POSTERN_DATA_DIR: join(place.dataDir, 'elsewhere'), POSTERN_PORT: port }
    const noToken = await run(['account', 'create', '--name', 'x'], elsewhere)
    expect([noToken.code, noToken.stderr]).toEqual([
      1,
      expect.stringMatching(/set POSTERN_OPERATOR_TOKEN to the token/),
    ])
    const env = { ...place.env, POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN, POSTERN_PORT: port }
    const noGateway = await run(['account', 'create', '--name', 'x', '--url', 'http://127.0.0.1:1'], env)
    expect([noGateway.code, noGateway.stderr]).toEqual([1, expect.stringMatching(/no gateway answers at/)])
    const noAccount = await run(['keys', 'create', '--account', 'acc_x', '--label', 'x'], env)
    expect([noAccount.code, noAccount.stderr]).toEqual([
      1,
      expect.stringMatching(/answered 404: account not found\nRead on: http:\/\/[^\n]+\/docs\/errors#not_found\n$/),
    ])
  })

  it('doctor asks the gateway that runs with the same settings', async () => {
    const { stdout } = await run(['doctor'], { ...place.env, POSTERN_PORT: new URL(gateway.url).port })
    expect(stdout).toMatch(/^ok {4}database {2}the running gateway reaches it$/m)
    expect(stdout).toMatch(/^\? {5}clock {5}unknown: set POSTERN_OPERATOR_TOKEN to see it$/m)
    expect(stdout).toMatch(/^ok {4}port {6}a gateway answers at http:\/\/127\.0\.0\.1:\d+$/m)
    const env = { ...place.env, POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN, POSTERN_PORT: new URL(gateway.url).port }
    expect((await run(['doctor'], env)).stdout).toMatch(
      /^ok {4}clock {5}the clocks of all nodes agree with the database$/m,
    )
  })

  it('doctor names the remedy if another program uses the port or another gateway uses the data folder', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const port = String((other.address() as AddressInfo).port)
    other.on('connection', socket => socket.destroy())
    const { code, stdout } = await run(['doctor'], { ...place.env, POSTERN_PORT: port })
    other.close()
    expect(code).toBe(1)
    expect(stdout).toMatch(/FAIL {2}database .*is in use by another Postern\. Stop that one/)
    expect(stdout).toMatch(/FAIL {2}port .*cannot be used \(EADDRINUSE\)\. Stop the other program, or set POSTERN_PORT/)
  })
})

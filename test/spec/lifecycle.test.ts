import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'
import { SCHEMA_VERSION } from '../../src/store/migrate.ts'
import { ask, expectError } from '../harness/client.ts'
import { type CommandOutput, runCommand } from '../harness/command.ts'
import { OPERATOR_TOKEN, startTestGateway } from '../harness/gateway.ts'
import { cells } from '../harness/matrix.ts'
import { readyUrl, runPostern, startProcess } from '../harness/process.ts'
import { newPlace, openStore, type Place, queryPlace, STORES } from '../harness/stores.ts'

/** Expects exit code 1 and one line that begins with `postern:`. */
async function startFailure(place: Place, env: Record<string, string>, args = ['start']): Promise<string> {
  return onlyLine(await runCommand(args, { POSTERN_PORT: '0', POSTERN_ROLES: 'api', ...place.env, ...env }))
}

/** The same in a process of its own. */
async function processFailure(place: Place, env: Record<string, string>): Promise<string> {
  const running = runPostern(['start'], { POSTERN_PORT: '0', POSTERN_ROLES: 'api', ...place.env, ...env })
  const { code } = await running.exited
  return onlyLine({ code: code ?? 0, stdout: running.stdout(), stderr: running.stderr() })
}

function onlyLine({ code, stdout, stderr }: CommandOutput): string {
  expect([code, stdout]).toEqual([1, ''])
  const lines = stderr.trimEnd().split('\n')
  expect(lines, stderr).toHaveLength(1)
  expect(lines[0]).toMatch(/^postern: /)
  return lines[0]!
}

/** The reason why the settings are rejected before anything starts, if they are. */
function rejectedSetting(place: Place, env: Record<string, string>): string | null {
  try {
    readConfig({ ...place.env, ...env })
    return null
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message
  }
}

describe('A start with a bad configuration exits with 1 and prints one message with the variable and the remedy', () => {
  const production = {
    POSTERN_MODE: 'production',
    POSTERN_SECRET_KEY: Buffer.alloc(32).toString('base64'),
    POSTERN_PUBLIC_URL: 'https://gateway.example.com',
  }
  const cases: Array<[Record<string, string>, RegExp]> = [
    [{ POSTERN_MODE: 'test' }, /POSTERN_MODE is "test"\. Set it to one of: development, production/],
    [{ POSTERN_HOST: '203.0.113.7' }, /POSTERN_HOST.*cannot listen.*Choose an address of this machine/],
    [{ POSTERN_PORT: 'http' }, /POSTERN_PORT is "http"\. Set it to a whole number from 0 to 65535/],
    [{ POSTERN_PORT: '70000' }, /POSTERN_PORT/],
    [{ POSTERN_PUBLIC_URL: 'gateway' }, /POSTERN_PUBLIC_URL is "gateway"\. Set it to an address such as/],
    [{ ...production, POSTERN_PUBLIC_URL: 'http://x.example' }, /POSTERN_PUBLIC_URL must use https in production/],
    [{ ...production, POSTERN_PUBLIC_URL: '' }, /POSTERN_PUBLIC_URL is not set\. In production set it/],
    [
      { ...production, POSTERN_SECRET_KEY: '' },
      /POSTERN_SECRET_KEY is not set\. In production set it to 32 random bytes/,
    ],
    [{ POSTERN_DATA_DIR: '/dev/null' }, /POSTERN_DATA_DIR: \/dev\/null cannot be written .*Choose another folder/],
    [{ POSTERN_DATA_DIR: '/dev/null/x' }, /POSTERN_DATA_DIR: \/dev\/null\/x cannot be written .*Choose another folder/],
    [{ POSTERN_DATABASE_URL: 'mysql://x' }, /POSTERN_DATABASE_URL is not a postgres:\/\/ address/],
    [
      { POSTERN_DATABASE_WAIT: '0', POSTERN_DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x' },
      /POSTERN_DATABASE_URL: the database does not answer .*Check that it runs/,
    ],
    [{ POSTERN_DATABASE_WAIT: 'long' }, /POSTERN_DATABASE_WAIT: "long" is not a duration\. Write it like/],
    [{ POSTERN_ROLES: 'api,cook' }, /POSTERN_ROLES names "cook"\. Choose from: api, worker, dispatcher, simulator/],
    [
      { POSTERN_ROLES: 'simulator', POSTERN_SANDBOX: 'off' },
      /POSTERN_ROLES names the simulator, but the sandbox is off/,
    ],
    [{ POSTERN_SANDBOX_HOST: '0.0.0.0' }, /POSTERN_SANDBOX_HOST is "0.0.0.0"\. Set it to one private IPv4 address/],
    [{ POSTERN_SANDBOX_HOST: '203.0.113.7' }, /POSTERN_SANDBOX_HOST is "203.0.113.7"\. Set it to one private/],
    [
      { POSTERN_WHATSAPP_VERSION: '2.3000' },
      /POSTERN_WHATSAPP_VERSION is "2.3000"\. Set it to a version of WhatsApp Web such as 2\.3000\.\d{10}, or unset it/,
    ],
    [{ POSTERN_SECRET_KEY: 'c2hvcnQ=' }, /POSTERN_SECRET_KEY must be 32 bytes in base64 \(it has 5\)/],
    [{ POSTERN_OPERATOR_TOKEN: 'short' }, /POSTERN_OPERATOR_TOKEN must be 16 to 256 visible characters/],
    [{ POSTERN_TOS_VERSION: 'x'.repeat(101) }, /POSTERN_TOS_VERSION must be 1 to 100 visible characters/],
    [{ POSTERN_RETRY_DELAYS: '30s' }, /POSTERN_RETRY_DELAYS needs 3 durations, for example 30s,5m,30m/],
    [{ POSTERN_DELIVERY_TIMEOUT: '10' }, /POSTERN_DELIVERY_TIMEOUT: "10" is not a duration\. Write it like/],
    [
      { POSTERN_ALLOWED_TARGETS: 'localhost' },
      /POSTERN_ALLOWED_TARGETS: "localhost" is not a range\. Write ranges like/,
    ],
    [{ POSTERN_SANDBOX: 'maybe' }, /POSTERN_SANDBOX is "maybe"\. Set it to on or off/],
    [{ POSTERN_DISCONNECT_GRACE: 'soon' }, /POSTERN_DISCONNECT_GRACE: "soon" is not a duration/],
    [{ POSTERN_LEASE_TTL: '0s' }, /POSTERN_LEASE_TTL must be longer than 0/],
    [{ POSTERN_ACK_TIMEOUT: '-1s' }, /POSTERN_ACK_TIMEOUT: "-1s" is not a duration/],
    [{ POSTERN_SEND_RETRY_DELAYS: '1s,2s' }, /POSTERN_SEND_RETRY_DELAYS needs 4 durations/],
    [{ POSTERN_SIGNUP: 'invite' }, /POSTERN_SIGNUP is "invite"\. Set it to one of: open, closed/],
    [{ POSTERN_LOG_LEVEL: 'loud' }, /POSTERN_LOG_LEVEL is "loud"\. Set it to one of/],
    [{ POSTERN_PROT: '80' }, /POSTERN_PROT is not a setting of Postern\. Remove it, or see \.env\.example/],
  ]

  const named = cases.map(([env, text]) => [Object.keys(env).at(-1)!, env, text] as const)
  const asProcesses = cells(named, 2)
  it.each(named)('if %s is invalid', async (_name, env, text) => {
    const place = await newPlace('sqlite')
    // Most settings are rejected before anything starts, so that the reason of one stands for all.
    const isProcess = asProcesses.some(([, each]) => each === env)
    const said = isProcess
      ? await processFailure(place, env)
      : (rejectedSetting(place, env) ?? (await startFailure(place, env)))
    expect(said).toMatch(text)
    expect(said).not.toContain('hunter2')
    place.remove()
  })

  it('if the port is in use', async () => {
    const place = await newPlace('sqlite')
    const other = createServer()
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as { port: number }
    const said = await startFailure(place, { POSTERN_PORT: String(port) })
    expect(said).toMatch(/POSTERN_PORT: 127\.0\.0\.1:\d+ is in use\. Stop the other program, or choose another port/)
    other.close()
    place.remove()
  })

  it('if another process uses the data folder; a killed process leaves no lock', async () => {
    const place = await newPlace('sqlite')
    const first = await startProcess(place)
    expect(await startFailure(place, {})).toMatch(/POSTERN_DATA_DIR: .* is in use by another Postern\. Stop that one/)
    expect((await ask(first.url, 'GET', '/readyz')).status).toBe(200)
    first.kill('SIGKILL')
    await first.exited
    const second = await startProcess(place)
    second.kill('SIGTERM')
    expect((await second.exited).code).toBe(0)
    place.remove()
  })

  it.each(cells(STORES))('if the data has a newer version (%s)', async kind => {
    const place = await newPlace(kind)
    await (await openStore(place)).close()
    await addMigration(place, SCHEMA_VERSION + 1)
    const variable = kind === 'sqlite' ? 'POSTERN_DATA_DIR' : 'POSTERN_DATABASE_URL'
    expect(await startFailure(place, {})).toMatch(
      new RegExp(
        `${variable}: the database has schema version ${SCHEMA_VERSION + 1}, this Postern knows ${SCHEMA_VERSION}: start the newer version`,
      ),
    )
    place.remove()
  })

  it.each(STORES)('if the secret key does not open the data; new,old does (%s)', async kind => {
    const place = await newPlace(kind)
    const [old, fresh] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')]
    const before = await startTestGateway(place, { POSTERN_SECRET_KEY: old })
    await before.stop()
    expect(await startFailure(place, { POSTERN_SECRET_KEY: fresh })).toMatch(
      /POSTERN_SECRET_KEY is not the key that encrypted this data\. .*new,old/,
    )
    const after = await startTestGateway(place, { POSTERN_SECRET_KEY: `${fresh},${old}` })
    await after.stop()
    place.remove()
  })
})

const addMigration = (place: Place, version: number) =>
  queryPlace(
    place,
    `insert into schema_migrations (version, name, checksum, applied_at) values (${version}, 'later', 'x', 0) returning 1`,
  )

describe('A start', () => {
  it('prints the portal’s address, a one-time sign-in link and the data folder the first time', async () => {
    const place = await newPlace('sqlite')
    const first = await startProcess(place)
    expect(first.stdout()).toMatch(new RegExp(`^Postern [\\d.]+ is ready at ${first.url} \\(api\\)\\n`))
    expect(first.stdout()).toContain(`Portal     ${first.url}/\n`)
    expect(first.stdout()).toMatch(new RegExp(`Sign in    ${first.url}/sign-in#[\\w-]{43} `))
    expect(first.stdout()).toContain(`Data       ${place.dataDir}\n`)
    expect(readFileSync(join(place.dataDir, 'secret.key'), 'utf8')).toMatch(/^[A-Za-z0-9+/]{43}=\n$/)
    first.kill('SIGTERM')
    await first.exited
    place.remove()
  })

  it('of the compiled program makes all roles ready', async () => {
    const place = await newPlace('sqlite')
    const gateway = await startProcess(place, { POSTERN_ROLES: '', POSTERN_LOG_LEVEL: '' })
    await expect.poll(async () => (await ask(gateway.url, 'GET', '/readyz')).status).toBe(200)
    gateway.kill('SIGTERM')
    await gateway.exited
    place.remove()
  })

  it('with port 0 picks a free port; behind a proxy the ready line names the address that it listens on', async () => {
    const place = await newPlace('sqlite')
    const gateway = await startProcess(place, { POSTERN_PUBLIC_URL: 'https://gateway.example.com/' })
    expect(gateway.stdout()).toContain('is ready at https://gateway.example.com (api)')
    expect((await ask(gateway.url, 'GET', '/healthz')).status).toBe(200)
    gateway.kill('SIGTERM')
    await gateway.exited
    place.remove()
  })

  it('of development on a network address says so, and closes what only its own machine may use', async () => {
    const place = await newPlace('sqlite')
    const gateway = await startProcess(place, { POSTERN_HOST: '0.0.0.0', POSTERN_ROLES: 'api' })
    expect(gateway.stdout()).toContain(
      'Network    development mode on 0.0.0.0, without TLS: sign-up is closed (POSTERN_SIGNUP), webhooks to this machine are refused (POSTERN_ALLOWED_TARGETS). Use POSTERN_MODE=production\n',
    )
    const headers = { origin: gateway.url, 'sec-fetch-site': 'same-origin' }
    const body = { name: 'Acme', email: 'a@example.com', password: 'correct horse battery staple' }
    expectError(await ask(gateway.url, 'POST', '/portal/api/sign-up', { body, headers }), 403, /closed/)
    gateway.kill('SIGTERM')
    await gateway.exited
    const opened = { POSTERN_HOST: '0.0.0.0', POSTERN_SIGNUP: 'open', POSTERN_ALLOWED_TARGETS: '127.0.0.0/8' }
    const again = await startProcess(place, opened)
    expect(again.stdout()).toContain('sign-up is open to everyone, webhooks may reach POSTERN_ALLOWED_TARGETS.')
    again.kill('SIGTERM')
    await again.exited
    place.remove()
  })

  it('with --roles overrides POSTERN_ROLES, and rejects unknown roles', async () => {
    const place = await newPlace('sqlite')
    expect(await startFailure(place, {}, ['start', '--roles', 'api,cook'])).toMatch(/--roles names "cook"/)
    const env = { POSTERN_PORT: '0', POSTERN_ROLES: 'dispatcher', ...place.env }
    const running = runPostern(['start', '--roles', 'api'], env)
    expect(await readyUrl(running)).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    running.kill('SIGTERM')
    await running.exited
    place.remove()
  })
})

describe('Health and metrics', () => {
  it('/healthz and /readyz answer without a key; /readyz is 200 only if every role works', async () => {
    const gateway = await startTestGateway('sqlite')
    expect((await ask(gateway.url, 'GET', '/healthz')).json).toEqual({ status: 'ok' })
    const ready = await ask(gateway.url, 'GET', '/readyz')
    expect([ready.status, ready.json]).toEqual([200, { status: 'ready', checks: { database: true, api: true } }])
    const broken = await startTestGateway('sqlite', {}, {})
    Object.assign(broken.context.store.nodes, { touchNode: () => Promise.reject(new Error('gone')) })
    expect((await ask(broken.url, 'GET', '/readyz')).status).toBe(503)
    expect((await ask(broken.url, 'GET', '/healthz')).status).toBe(200)
    await gateway.stop()
    await broken.stop()
  })

  it('/metrics requires the operator’s token; without one it is open only in development, from loopback and under its name', async () => {
    const production = {
      POSTERN_MODE: 'production',
      POSTERN_SECRET_KEY: Buffer.alloc(32).toString('base64'),
      POSTERN_PUBLIC_URL: 'https://gateway.example.com',
    }
    const withToken = await startTestGateway('sqlite', production)
    expectError(await ask(withToken.url, 'GET', '/metrics'), 401)
    const metrics = await ask(withToken.url, 'GET', '/metrics', { key: OPERATOR_TOKEN })
    expect(metrics.status).toBe(200)
    expect(metrics.text).toContain('postern_requests_total')
    await withToken.stop()
    const open = await startTestGateway('sqlite', { POSTERN_OPERATOR_TOKEN: '' })
    expect((await ask(open.url, 'GET', '/metrics')).status).toBe(200)
    await open.stop()
    const development = await startTestGateway('sqlite')
    expect((await ask(development.url, 'GET', '/metrics')).status).toBe(200)
    expect((await ask(development.url, 'GET', '/metrics', { headers: { host: 'localhost:1' } })).status).toBe(200)
    // The name of a web page that leads to this machine, or of a proxy.
    for (const host of ['rebound.example', '127.0.0.1.rebound.example:80'])
      expectError(await ask(development.url, 'GET', '/metrics', { headers: { host } }), 401)
    await development.stop()
    const closed = await startTestGateway('sqlite', { POSTERN_OPERATOR_TOKEN: '', ...production })
    expectError(await ask(closed.url, 'GET', '/metrics'), 404)
    await closed.stop()
  })

  it('requests are counted by route, never by path: an id creates no new series', async () => {
    const gateway = await startTestGateway('sqlite')
    const account = await gateway.account()
    for (let i = 0; i < 5; i++) await account.ask('GET', `/v1/messages/msg_${i}`)
    for (let i = 0; i < 5; i++) await ask(gateway.url, 'GET', `/nothing/${i}`)
    const { text } = await ask(gateway.url, 'GET', '/metrics', { key: OPERATOR_TOKEN })
    expect(text).toContain('postern_requests_total{route="/v1/messages/:id",status="404"} 5')
    expect(text).not.toContain('msg_1')
    expect(text).not.toContain('nothing/')
    await gateway.stop()
  })
})

describe('The generated key', () => {
  it('is stored in the data folder, readable only by its owner, and is never replaced', async () => {
    const place = await newPlace('sqlite')
    const path = join(place.dataDir, 'secret.key')
    const first = await startTestGateway(place)
    await first.stop()
    const key = readFileSync(path, 'utf8')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const second = await startTestGateway(place)
    await second.stop()
    expect(readFileSync(path, 'utf8')).toBe(key)
    place.remove()
  })
})

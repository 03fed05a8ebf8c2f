import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { fastify } from 'fastify'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createSignInLink } from '../../src/actions/first-start.ts'
import { hashPassword } from '../../src/actions/sign-in/passwords.ts'
import { SignInAttempts } from '../../src/actions/sign-in/sign-in-attempts.ts'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { networkOf } from '../../src/domain/client-network.ts'
import { makePages } from '../../src/http/portal/pages.ts'
import { accountRoutes, operatorRoutes } from '../../src/http/routes.ts'
import { type Answer, ask, expectError, sendBytes } from '../harness/client.ts'
import { movableClock } from '../harness/clocks.ts'
import { startTestGateway, type TestGateway } from '../harness/gateway.ts'
import { addUser, openBrowser, PASSWORD, type PortalUser, signedIn } from '../harness/portal.ts'

const WRONG = 'email or password is wrong'

/** Hashes that passwords were compared with. */
const compared = vi.hoisted((): string[] => [])
vi.mock('@node-rs/argon2', async importOriginal => {
  const real = await importOriginal<typeof import('@node-rs/argon2')>()
  const verify: typeof real.verify = (hash, ...rest) => {
    compared.push(String(hash))
    return real.verify(hash, ...rest)
  }
  return { ...real, verify }
})

const clock = movableClock()
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway('sqlite', {}, { clock })
})
afterEach(() => clock.goOn())
afterAll(() => gateway.stop())

async function userWithPassword(of = gateway): Promise<PortalUser> {
  const user = await addUser(of)
  await of.store.users.changePassword({
    userId: user.userId,
    passwordHash: await hashPassword(PASSWORD),
    keepTokenHash: null,
  })
  return user
}

let lastAddress = 1
/** A client at a separate address. */
function stranger(of = gateway) {
  const agent = new Agent({ localAddress: `127.0.1.${++lastAddress}`, keepAlive: true })
  return (email: string, password: string): Promise<Answer> =>
    ask(of.url, 'POST', '/portal/api/sign-in', { agent, body: { email, password }, headers: { origin: of.url } })
}

describe('A36: guessing passwords', () => {
  test('every failure has the same status and text, whether or not the email is known', async () => {
    const known = await userWithPassword()
    const withoutPassword = await addUser(gateway)
    const signIn = stranger()
    const answers = [
      await signIn(known.email, 'not this one'),
      await signIn('nobody@example.com', PASSWORD),
      await signIn(withoutPassword.email, PASSWORD),
      await signIn('not even an email', 'x'),
    ]
    for (const answer of answers) expectError(answer, 401, WRONG)
    expect(
      new Set(answers.map(({ headers: { date: _date, 'x-request-id': _id, ...rest } }) => JSON.stringify(rest))).size,
    ).toBe(1)
  })

  test('an unknown email costs the same work as a known one: a password is compared with a hash of the same parameters', async () => {
    const known = await userWithPassword()
    const withoutPassword = await addUser(gateway)
    const signIn = stranger()
    const hashes: string[] = []
    for (const email of [known.email, 'nobody@example.com', withoutPassword.email]) {
      compared.length = 0
      expectError(await signIn(email, 'not this one'), 401, WRONG)
      expect(compared).toHaveLength(1)
      hashes.push(...compared)
    }
    const parameters = hashes.map(hash => hash.split('$').slice(0, 4).join('$'))
    expect(new Set(parameters)).toEqual(new Set(['$argon2id$v=19$m=19456,t=2,p=1']))
  })

  test('one account allows ten guesses, even by many at once, then only slow ones, and other accounts are not delayed', async () => {
    clock.stand()
    const victim = await userWithPassword()
    const bystander = await userWithPassword()
    const attempts = await Promise.all(
      Array.from({ length: 40 }, (_, i) => i).map(i => stranger()(victim.email, `guess ${i}`)),
    )
    const judged = attempts.filter(({ status }) => status === 401)
    expect(judged.length).toBeGreaterThan(0)
    expect(judged.length).toBeLessThanOrEqual(10)
    const refused = attempts.find(({ status }) => status === 429)!
    expectError(refused, 429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect((await stranger()(victim.email, PASSWORD)).status).toBe(429)
    expect((await stranger()(bystander.email, PASSWORD)).status).toBe(200)
  })

  test('an address that has signed in before is not locked out by attempts of strangers', async () => {
    clock.stand()
    const victim = await userWithPassword()
    const home = stranger()
    expect((await home(victim.email, PASSWORD)).status).toBe(200)
    for (let i = 0; i < 12; i++) await stranger()(victim.email, `guess ${i}`)
    expect((await stranger()(victim.email, PASSWORD)).status).toBe(429)
    expect((await home(victim.email, PASSWORD)).status).toBe(200)
  })

  test('one address may try thirty passwords over all accounts, then only slowly', async () => {
    clock.stand()
    const attacker = stranger()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => attacker(`person-${i}@example.com`, 'Password123')),
    )
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(30)
    expect(answers.some(({ status }) => status === 429)).toBe(true)
  })

  test('behind a proxy each client is limited separately, and without a proxy no client can pose as another', async () => {
    clock.stand()
    const behind = await startTestGateway('sqlite', { POSTERN_PUBLIC_URL: 'https://gateway.example' }, { clock })
    const from = (of: TestGateway, origin: string, forwarded: string, i: number) =>
      ask(of.url, 'POST', '/portal/api/sign-in', {
        body: { email: `person-${i}@example.com`, password: 'Password123' },
        headers: { origin, 'x-forwarded-for': forwarded },
        agent: new Agent({ localAddress: '127.0.3.1' }),
      })
    const one = await Promise.all(
      Array.from({ length: 40 }, (_, i) => from(behind, 'https://gateway.example', `10.9.9.${i}, 203.0.113.7`, i)),
    )
    expect(one.some(({ status }) => status === 429)).toBe(true)
    expect((await from(behind, 'https://gateway.example', '203.0.113.7, 203.0.113.8', 99)).status).toBe(401)
    const ports = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        from(behind, 'https://gateway.example', `203.0.113.9:${4_000 + i}`, i + 200),
      ),
    )
    expect(ports.some(({ status }) => status === 429)).toBe(true)
    await behind.stop()
    const posing = await Promise.all(
      Array.from({ length: 40 }, (_, i) => from(gateway, gateway.url, `203.0.113.${i}`, i + 100)),
    )
    expect(posing.some(({ status }) => status === 429)).toBe(true)
  })

  test('the tracker drops the oldest, refills over time, and counts a whole IPv6 network as one', () => {
    let now = 0
    const attempts = new SignInAttempts(() => now)
    for (let i = 0; i < 10; i++) attempts.begin(`10.0.0.${i}`, 'a@example.com')
    expect(() => attempts.begin('10.0.1.1', 'a@example.com')).toThrow(/too many/)
    now += 10_000
    attempts.begin('10.0.1.2', 'a@example.com')
    expect(() => attempts.begin('10.0.1.3', 'a@example.com')).toThrow(/too many/)
    for (let i = 0; i <= BOUNDS.trackedSignIns; i++)
      attempts.begin(`10.${1 + (i >> 8)}.${i & 255}.1`, `${i}@example.com`)
    attempts.begin('10.0.1.4', 'a@example.com')
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2:ffff::1'))
    expect(networkOf('2001:db8:1:2::')).not.toBe(networkOf('2001:db8:1:3::'))
    expect(networkOf('::1')).toBe('0:0:0:0')
    expect(networkOf('::ffff:10.0.0.1')).toBe('10.0.0.1')
  })
})

describe('A37: cross-site requests', () => {
  const writes = [
    ...[...accountRoutes, ...operatorRoutes].filter(({ method }) => method !== 'GET'),
    ...['/sign-in', '/sign-in/link', '/sign-up', '/sign-out', '/sign-out-everywhere', '/password', '/email'].map(
      path => ({
        method: 'POST',
        path,
      }),
    ),
  ].map(({ method, path }) => [method, path.replace(/:[a-z_]+/g, 'x')] as const)

  test.each(writes)('%s %s is rejected', async (method, path) => {
    const browser = await signedIn(gateway, await addUser(gateway, { operator: true }))
    const cookie = browser.cookie!
    const foreign: Array<Record<string, string>> = [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${gateway.url}.evil.example` },
      { origin: gateway.url, 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreign) {
      const answer = await ask(gateway.url, method, `/portal/api${path}`, { headers: { cookie, ...headers }, body: {} })
      expectError(answer, 403, /^Origin must be/)
    }
    expect((await browser.ask('GET', '/session')).status).toBe(200)
  })

  test('a page under a name that was pointed at this machine is a foreign page', async () => {
    const headers = { host: 'rebound.example', origin: 'http://rebound.example' }
    const answer = await ask(gateway.url, 'POST', '/portal/api/sign-in', {
      body: { email: 'a', password: 'b' },
      headers,
    })
    expectError(answer, 403)
  })

  test('this machine’s other names are accepted as its own', async () => {
    const { port } = new URL(gateway.url)
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      const headers = { host, origin: `http://${host}` }
      const body = { email: 'nobody@example.com', password: 'b' }
      const agent = new Agent({ localAddress: '127.0.2.1' })
      expectError(await ask(gateway.url, 'POST', '/portal/api/sign-in', { agent, body, headers }), 401)
    }
  })

  test('other sites cannot make the browser send the cookie', async () => {
    const user = await addUser(gateway)
    const answer = await openBrowser(gateway).ask('POST', '/sign-in/link', {
      token: await createSignInLink(gateway, user.userId),
    })
    expect(answer.headers['set-cookie']![0]).toMatch(
      /^postern=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
    )
  })
})

describe('A38, A39: pages', () => {
  test.each(['/', '/sign-in', '/terms', '/numbers/15551234567'])(
    '%s runs no foreign script and cannot be framed',
    async path => {
      const answer = await ask(gateway.url, 'GET', path, { headers: { accept: 'text/html' } })
      const csp = answer.headers['content-security-policy'] as string
      expect(csp).toContain("default-src 'none'")
      expect(csp).toContain("script-src 'self'")
      expect(csp).toContain("frame-ancestors 'none'")
      expect(csp).not.toContain('unsafe')
      expect(csp).not.toMatch(/https?:|\*/)
      expect(answer.headers['x-frame-options']).toBe('DENY')
      expect(answer.headers['x-content-type-options']).toBe('nosniff')
      expect(answer.text).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>|\son\w+=|javascript:/i)
    },
  )

  test.each(['/v1/me', '/v1/unknown', '/openapi.json', '/docs', '/docs/style.css', '/healthz', '/terms', '/sandbox/x'])(
    '%s is stored by no cache, and its type cannot be sniffed',
    async path => {
      const { headers } = await ask(gateway.url, 'GET', path)
      expect([headers['cache-control'], headers['x-content-type-options']]).toEqual(['no-store', 'nosniff'])
    },
  )

  test('hostile strings are returned as JSON that no browser treats as a page', async () => {
    const browser = await signedIn(gateway, await addUser(gateway))
    const label = '<script>alert(1)</script><img src=x onerror=alert(1)>'
    const created = await browser.ask('POST', '/v1/keys', { label })
    expect(created.json.label).toBe(label)
    expect(created.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(created.headers['x-content-type-options']).toBe('nosniff')
    const missing = await ask(gateway.url, 'GET', `/v1/${encodeURIComponent(label)}`, {
      headers: { accept: 'text/html' },
    })
    expectError(missing, 404)
    expect(missing.text).not.toContain('<')
  })

  test('built files have a policy without exceptions and permanent caching, and nothing outside the folder is served', async () => {
    const builtDir = mkdtempSync(join(tmpdir(), 'postern-pages-'))
    mkdirSync(join(builtDir, 'assets'))
    writeFileSync(join(builtDir, 'index.html'), '<p>portal</p>')
    writeFileSync(join(builtDir, 'assets', 'main-abc123.js'), 'export {}')
    writeFileSync(join(builtDir, 'assets', 'main-abc123.js.gz'), 'gzip')
    writeFileSync(join(builtDir, 'favicon.svg'), '<svg/>')
    writeFileSync(`${builtDir}-secret`, 'words from outside')
    const app = fastify()
    makePages({ publicUrl: () => 'https://gateway.example', tosVersion: '<b>', builtDir }).serve(app)
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const one = await ask(url, 'GET', '/')
    expect(one.text).toBe('<p>portal</p>')
    expect(one.headers['content-security-policy']).toContain("script-src 'self'; style-src 'self';")
    expect(one.headers['content-security-policy']).not.toMatch(/nonce|unsafe/)
    expect(one.headers['cache-control']).toBe('no-store')
    expect(one.headers['strict-transport-security']).toContain('max-age=')
    const asset = await ask(url, 'GET', '/assets/main-abc123.js')
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(asset.headers['content-type']).toMatch(/javascript/)
    expect(asset.headers['cross-origin-resource-policy']).toBe('same-origin')
    const { etag } = asset.headers
    for (const known of [etag!, `W/${etag}`, `"other", ${etag}`]) {
      const again = await ask(url, 'GET', '/assets/main-abc123.js', { headers: { 'if-none-match': known } })
      expect(again).toMatchObject({ status: 304, text: '' })
    }
    const small = await ask(url, 'HEAD', '/assets/main-abc123.js', { headers: { 'accept-encoding': 'gzip' } })
    expect(small).toMatchObject({ status: 200, text: '' })
    expect(small.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': '4', vary: 'accept-encoding' })
    expect((await ask(url, 'GET', '/favicon.svg')).headers['cache-control']).toBe('no-cache')
    const secret = `${builtDir.split('/').at(-1)}-secret`
    for (const path of [`/../${secret}`, `/assets/../../${secret}`, `/assets/..%2f..%2f${secret}`, `/..%2f${secret}`]) {
      const answer = await sendBytes(url, `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
      expect(answer).toMatch(/^HTTP\/1\.1 40[034]/)
      expect(answer).not.toContain('words from outside')
    }
    expect((await ask(url, 'GET', '/terms')).text).not.toContain('<b>')
    await app.close()
    rmSync(builtDir, { recursive: true })
    rmSync(`${builtDir}-secret`)
  })
})

describe('A40: sessions', () => {
  test('a token that was planted before the sign-in is useless, and each sign-in has its own', async () => {
    const user = await addUser(gateway)
    const planted = `postern=${'A'.repeat(43)}`
    const browser = openBrowser(gateway)
    browser.cookie = planted
    await browser.ask('POST', '/sign-in/link', { token: await createSignInLink(gateway, user.userId) })
    const first = browser.cookie!
    expect(first).not.toBe(planted)
    expectError(await ask(gateway.url, 'GET', '/portal/api/session', { headers: { cookie: planted } }), 401)
    await browser.ask('POST', '/sign-in/link', { token: await createSignInLink(gateway, user.userId) })
    expect(browser.cookie).not.toBe(first)
    expectError(await ask(gateway.url, 'GET', '/portal/api/session', { headers: { cookie: first } }), 401)
  })

  test('no response of the portal is stored by a cache, and a key is shown once', async () => {
    const browser = await signedIn(gateway, await addUser(gateway))
    const created = await browser.ask('POST', '/v1/keys', { label: 'once' })
    expect(created.headers['cache-control']).toBe('no-store')
    const listed = await browser.ask('GET', '/v1/keys')
    expect(listed.headers['cache-control']).toBe('no-store')
    expect(listed.text).not.toContain(created.json.key)
    expect((await openBrowser(gateway).ask('GET', '/session')).headers['cache-control']).toBe('no-store')
  })

  test('over https the cookie is bound to this host only', async () => {
    const https = await startTestGateway('sqlite', { POSTERN_PUBLIC_URL: 'https://gateway.example' })
    const user = await addUser(https)
    const headers = { origin: 'https://gateway.example' }
    const body = { token: await createSignInLink(https, user.userId) }
    const answer = await ask(https.url, 'POST', '/portal/api/sign-in/link', { body, headers })
    const cookie = answer.headers['set-cookie']![0]!
    expect(cookie).toMatch(/^__Host-postern=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/)
    const plain = cookie.split(';')[0]!.replace('__Host-', '')
    expectError(await ask(https.url, 'GET', '/portal/api/session', { headers: { cookie: plain } }), 401)
    const local = { origin: https.url, host: new URL(https.url).host }
    expectError(await ask(https.url, 'POST', '/portal/api/sign-in', { body: {}, headers: local }), 403)
    await https.stop()
  })

  test('no log contains a password, a link, a session or a key', async () => {
    const lines: string[] = []
    const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(chunk.toString()), done()) })
    const logged = await startTestGateway('sqlite', {}, { log: pino({ level: 'debug' }, sink) })
    const user = await userWithPassword(logged)
    const link = await createSignInLink(logged, user.userId)
    const browser = openBrowser(logged)
    await browser.ask('POST', '/sign-in', { email: user.email, password: 'not-this-one-either' })
    await browser.ask('POST', '/sign-in', { email: user.email, password: PASSWORD })
    const first = browser.cookie!
    await browser.ask('POST', '/sign-in/link', { token: link })
    const { key } = (await browser.ask('POST', '/v1/keys', { label: 'x' })).json
    await browser.ask('POST', '/password', { current_password: PASSWORD, new_password: 'another long one' })
    const secrets = ['not-this-one-either', PASSWORD, 'another long one', link, key, first, browser.cookie!, user.email]
    await logged.stop()
    const log = lines.join('')
    expect(log).toContain('/portal/api/sign-in')
    for (const secret of secrets) expect(log).not.toContain(secret.replace(/^postern=/, ''))
  })
})

describe('A41: redirects of the portal', () => {
  test('no address redirects, whatever target it names', async () => {
    for (const path of [
      '/sign-in?next=//evil.example',
      '/?next=https://evil.example',
      '//evil.example/..',
      '/\\evil.example',
    ]) {
      const answer = await ask(gateway.url, 'GET', path, { headers: { accept: 'text/html' } })
      expect(answer.headers.location).toBeUndefined()
      expect(answer.status).not.toBe(302)
    }
  })

  test('a page is served only to a browser, and never under the paths of the API', async () => {
    expectError(await ask(gateway.url, 'GET', '/nowhere'), 404)
    for (const path of ['/v1/nowhere', '/portal/api/nowhere', '/operator/nowhere', '/sandbox/sessions/x/nowhere']) {
      expectError(await ask(gateway.url, 'GET', path, { headers: { accept: 'text/html' } }), 404)
    }
    expectError(await ask(gateway.url, 'POST', '/nowhere', { headers: { accept: 'text/html' }, body: {} }), 404)
  })
})

import { randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConnectionLimits, createServer, LIMITS, type Server } from '../../src/http/server.ts'
import { ask } from '../harness/client.ts'
import { movableClock } from '../harness/clocks.ts'
import { startTestGateway, type TestGateway } from '../harness/gateway.ts'
import { comeAsStranger, type Stranger } from '../harness/stranger.ts'
import { until } from '../harness/until.ts'

const clock = movableClock()
let gateway: TestGateway
let met: Stranger[] = []
beforeAll(async () => {
  gateway = await startTestGateway('sqlite', {}, { clock })
})
afterAll(() => gateway.stop())

const come = (bytes: string | Uint8Array = ''): Stranger => {
  const stranger = comeAsStranger(gateway.url)
  met.push(stranger)
  if (bytes.length > 0) stranger.write(bytes)
  return stranger
}
const crowd = (count: number, bytes: string | Uint8Array = ''): Stranger[] =>
  Array.from({ length: count }, () => come(bytes))

/**
 * Meanwhile a client on a separate connection is answered, repeatedly. `npm run bench -- strangers` measures how soon.
 */
async function everybodyElseIsServed(times = 5): Promise<void> {
  for (let i = 0; i < times; i++) {
    const agent = new Agent()
    expect((await ask(gateway.url, 'GET', '/healthz', { agent })).status).toBe(200)
    agent.destroy()
  }
}

function everyoneLeaves(): void {
  for (const stranger of met) stranger.leave()
  met = []
}

const wrongKey = () => `ptn_${randomBytes(20).toString('hex')}`
const POST = 'POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

describe('Unauthenticated clients', () => {
  test('with two thousand idle connections do not block others', async () => {
    const idle = crowd(2_000)
    await until(() => idle.every(({ socket }) => !socket.connecting))
    await everybodyElseIsServed()
    everyoneLeaves()
  })

  test('by the hundred that write their headers or bodies a byte at a time do not block others', async () => {
    const slow = crowd(150, 'GET /v1/me HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    const bodies = crowd(150, `${POST.replace('/v1/messages', '/portal/api/sign-out')}Content-Length: 1000\r\n\r\n`)
    await until(() => [...slow, ...bodies].every(({ socket }) => !socket.connecting))
    const dripping = setInterval(() => [...slow, ...bodies].forEach(stranger => stranger.write('a')), 100)
    await everybodyElseIsServed()
    clearInterval(dripping)
    everyoneLeaves()
  })

  test('that open and reset connections by the hundred do not block others', async () => {
    const resets = crowd(200, 'GET /healthz HTTP/1.1\r\nHost: x\r\n')
    for (const { socket } of resets) socket.once('connect', () => socket.resetAndDestroy())
    await everybodyElseIsServed()
    everyoneLeaves()
  })

  test('that send a thousand requests in one write get a few answers, then the connection ends', async () => {
    for (const path of ['/healthz', '/docs', '/openapi.json', '/v1/me', '/nothing']) {
      const greedy = come(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(1_000))
      await everybodyElseIsServed(2)
      await until(greedy.isClosed)
      expect(greedy.received().split('HTTP/1.1 ').length - 1).toBeLessThanOrEqual(17)
    }
    const modest = come('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10))
    await until(() => modest.received().split('{"status":"ok"}').length === 11)
    expect(modest.isClosed()).toBe(false)
    everyoneLeaves()
  })

  test('that send headers of any size and number, TLS or random bytes are rejected and the connection ends', async () => {
    const clientHello = Buffer.concat([Buffer.from('1603010200010001fc0303', 'hex'), randomBytes(501)])
    const refused = [
      ['431', `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(1_000_000)}`],
      ['431', `GET / HTTP/1.1\r\nHost: x\r\n${'a:b\r\n'.repeat(100_000)}`],
      ['400', clientHello],
      ['400', Buffer.alloc(100_000, 0xff)],
      ['400', '\0'.repeat(1_000)],
      ['400', 'GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n'],
    ] as const
    for (const [status, bytes] of refused) {
      // A response may be lost if the connection resets while the request is still being written: then it is repeated.
      const answered = async () => {
        const stranger = come(bytes)
        await until(stranger.isClosed)
        return stranger.received()
      }
      await expect.poll(answered).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    }
    await everybodyElseIsServed()
    everyoneLeaves()
  })

  test('that use unsupported methods and versions are answered or cut off, never left open', async () => {
    for (const [request, status] of [
      ['OPTIONS *', '404'],
      ['OPTIONS /v1/me', '405'],
      ['TRACE /', '405'],
      ['CONNECT example.com:443', '405'],
      ['BREW /', '400'],
      ['PROPFIND /', '405'],
    ] as const) {
      const stranger = come(`${request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      await until(stranger.isClosed)
      expect(stranger.received(), request).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    }
    const old = come('GET /healthz HTTP/1.0\r\n\r\n')
    await old.receives('{"status":"ok"}')
    await until(old.isClosed)
    const upgrading = come('GET /healthz HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
    expect(await upgrading.receives('}')).toMatch(/^HTTP\/1\.1 200 /)
    everyoneLeaves()
  })

  test('are rejected before the body is read, and the connection ends instead of being read further', async () => {
    const start = come(`${POST}Content-Length: 1000000\r\n\r\n{`)
    expect(await start.receives('}')).toMatch(/^HTTP\/1\.1 401 /)
    await until(start.isClosed)
    const endless = come(`${POST}Transfer-Encoding: chunked\r\n\r\n`)
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    const pouring = setInterval(() => endless.write(chunk), 1)
    await endless.receives('HTTP/1.1 401 ')
    await until(endless.isClosed)
    clearInterval(pouring)
    const known = await gateway.account()
    const small = come(`${POST}Content-Length: 20\r\n\r\n${' '.repeat(10)}`)
    await small.receives('HTTP/1.1 401 ')
    small.write(`${' '.repeat(10)}GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${known.key}\r\n\r\n`)
    await small.receives('HTTP/1.1 200 ')
    await everybodyElseIsServed()
    everyoneLeaves()
  })

  test('that send Expect get 100 Continue only if the body is wanted', async () => {
    const expecting = `${POST}Content-Length: 2\r\nExpect: 100-continue\r\n`
    const unauthenticated = come(`${expecting}\r\n`)
    expect(await unauthenticated.receives('}')).toMatch(/^HTTP\/1\.1 401 /)
    const { key } = await gateway.account()
    const authenticated = come(`${expecting}Authorization: Bearer ${key}\r\n\r\n`)
    await authenticated.receives('HTTP/1.1 100 Continue')
    authenticated.write('{}')
    await authenticated.receives('session_id is required')
    expect((await ask(gateway.url, 'GET', '/v1/me', { key, headers: { expect: '100-continue' } })).status).toBe(200)
    everyoneLeaves()
  })

  test('that request an unknown path are rejected before a body is read', async () => {
    const stranger = come(`${POST.replace('/v1/messages', '/v1/nothing')}Content-Length: 1000000\r\n\r\n{`)
    expect(await stranger.receives('}')).toMatch(/^HTTP\/1\.1 404 /)
    everyoneLeaves()
  })

  test('with cookies, queries, ranges and paths as long as headers may be do not slow others', async () => {
    const get = (path: string, header = 'X: y') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`
    const heavy = [
      get('/portal/api/session', `Cookie: ${'a=b;'.repeat(3_900)}`),
      get(`/v1/messages?${'a&'.repeat(7_500)}`),
      get(`/portal/api/session?${'%41=%42&'.repeat(1_800)}`),
      get(`/v1/webhooks/${'%2f'.repeat(5_000)}`),
      get('/'.repeat(15_000), 'Accept: text/html'),
      get(`/${'../'.repeat(5_000)}etc/passwd`),
      get('/docs/style.css', `Range: bytes=${'0-1,'.repeat(3_800)}0-1`),
      get('/docs', `If-None-Match: ${'"a",'.repeat(3_800)}`),
      get('/metrics', `X-Forwarded-For: ${'1,'.repeat(7_500)}`),
    ]
    const strangers = heavy.flatMap(request => crowd(5, request))
    await everybodyElseIsServed()
    for (const stranger of strangers) await stranger.receives(/^HTTP\/1\.1 [2-4]/)
    everyoneLeaves()
  })

  test('with wrong keys and cookies cost a few queries to the store, and do not block an address that was right before', async () => {
    const { key } = await gateway.account()
    expect((await ask(gateway.url, 'GET', '/v1/me', { key })).status).toBe(200)
    for (const headers of [
      () => ({ authorization: `Bearer ${wrongKey()}` }),
      () => ({ cookie: `postern=${randomBytes(32).toString('base64url')}` }),
    ]) {
      const path = 'cookie' in headers() ? '/portal/api/session' : '/v1/me'
      // However long they take, no attempt is refilled meanwhile.
      clock.stand()
      const answers = await Promise.all(
        Array.from({ length: 400 }, () => ask(gateway.url, 'GET', path, { headers: headers() })),
      )
      const statuses = answers.map(({ status }) => status)
      expect(statuses).toContain(429)
      expect(statuses.every(status => status === 401 || status === 429)).toBe(true)
      const refused = answers.find(({ status }) => status === 429)!
      expect(refused.json.error).toBe('too many wrong keys; wait before the next')
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
      expect((await ask(gateway.url, 'GET', '/v1/me', { key })).status).toBe(200)
      const fresh = await ask(gateway.url, 'POST', '/v1/keys', { key, body: { label: 'fresh' } })
      expect((await ask(gateway.url, 'GET', '/v1/me', { key: fresh.json.key })).status).toBe(200)
      clock.goOn()
    }
    await everybodyElseIsServed()
    // The address has its attempts back.
    clock.pass(10_000)
    expect((await ask(gateway.url, 'GET', '/v1/me', { key: wrongKey() })).status).toBe(401)
  })
})

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) =>
    server.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

describe('Connections', () => {
  /** Another server of the same gateway, with limits that a test can reach. */
  async function open(limits: Partial<ConnectionLimits>): Promise<{ server: Server; come(bytes?: string): Stranger }> {
    const { context } = gateway
    const config = { ...context.config, port: 0 }
    const server = createServer({ ...context, config }, () => ({}), { ...LIMITS, checkEveryMs: 20, ...limits })
    const url = `http://127.0.0.1:${await server.listen()}`
    return {
      server,
      come(bytes = '') {
        const stranger = comeAsStranger(url)
        met.push(stranger)
        if (bytes !== '') stranger.write(bytes)
        return stranger
      },
    }
  }
  const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'

  test('beyond the limit close the one that has been idle longest, and the new client is answered', async () => {
    const limited = await open({ maxConnections: 3 })
    const answered = limited.come(HEALTH)
    await answered.receives('{"status":"ok"}')
    const silent = limited.come()
    await until(() => !silent.socket.connecting)
    const asking = limited.come('GET /healthz HTTP/1.1\r\nHost: x\r\n')
    await until(() => !asking.socket.connecting)
    await limited.come(HEALTH).receives('{"status":"ok"}')
    await until(silent.isClosed)
    expect(answered.isClosed()).toBe(false)
    await limited.come(HEALTH).receives('{"status":"ok"}')
    await until(() => [answered, asking].some(({ isClosed }) => isClosed()))
    everyoneLeaves()
    await limited.server.close()
  })

  test('beyond the limit that were all answered and stay open do not keep a new client out, even if others come first', async () => {
    const limited = await open({ maxConnections: 4 })
    const staying: Stranger[] = []
    for (let n = 0; n < 4; n++) {
      staying.push(limited.come(HEALTH))
      await staying[n]!.receives('{"status":"ok"}')
    }
    const left = () => staying.filter(({ isClosed }) => isClosed()).length
    const first = limited.come()
    await until(() => left() === 1)
    expect(staying[0]!.isClosed()).toBe(true)
    limited.come()
    await until(() => left() === 2)
    first.write(HEALTH)
    await first.receives('{"status":"ok"}')
    everyoneLeaves()
    await limited.server.close()
  })

  test('beyond the limit that all wait for an answer make the new one be closed', async () => {
    const limited = await open({ maxConnections: 2 })
    const { key } = await gateway.account()
    const stream = `GET /v1/deliveries/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
    const reading = [limited.come(stream), limited.come(stream)]
    for (const stranger of reading) await stranger.receives('event: ping')
    await until(limited.come(HEALTH).isClosed)
    expect(reading.some(({ isClosed }) => isClosed())).toBe(false)
    everyoneLeaves()
    await limited.server.close()
  })

  /** Requests more than the kernel buffers for a client that does not read. */
  const unreading = (limited: { come(): Stranger }): Stranger => {
    const stranger = limited.come()
    stranger.socket.pause()
    stranger.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(16))
    return stranger
  }

  test('whose client does not read its response do not block others', async () => {
    const limited = await open({ maxConnections: 2 })
    const held = [unreading(limited), unreading(limited)]
    await until(() => held.every(({ socket }) => socket.bytesWritten > 0))
    await until(async () => (await connectionsOf(limited.server)) === 2)
    await limited.come(HEALTH).receives('{"status":"ok"}')
    everyoneLeaves()
    await limited.server.close()
  })

  test('whose response is not read for too long are closed', async () => {
    const limited = await open({ unreadMs: 300 })
    let accepted = false
    limited.server.app.server.once('connection', () => (accepted = true))
    unreading(limited)
    await until(() => accepted)
    await until(async () => (await connectionsOf(limited.server)) === 0)
    everyoneLeaves()
    await limited.server.close()
  })

  test('with pipelined streams and files end all of them when they close', async () => {
    const limited = await open({})
    const { key } = await gateway.account()
    const stream = `GET /v1/deliveries/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
    const stranger = limited.come(stream.repeat(16))
    await until(() => limited.server.app.streams.size === 16)
    stranger.leave()
    await until(() => limited.server.app.streams.size === 0)
    await limited.server.close()
  })

  test('whose headers take too long are closed', async () => {
    const limited = await open({ headersMs: 300 })
    const slow = limited.come('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    const dripping = setInterval(() => slow.write('a'), 20)
    await until(slow.isClosed)
    clearInterval(dripping)
    expect(slow.received()).not.toContain('HTTP/1.1 200')
    everyoneLeaves()
    await limited.server.close()
  })

  test('whose body takes too long are closed', async () => {
    const limited = await open({ headersMs: 300, requestMs: 300 })
    const { key } = await gateway.account()
    const slow = limited.come(`${POST}Authorization: Bearer ${key}\r\nContent-Length: 60000\r\n\r\n`)
    const dripping = setInterval(() => slow.write(' '), 20)
    await until(slow.isClosed)
    clearInterval(dripping)
    expect(slow.received()).not.toMatch(/^HTTP\/1\.1 202 /m)
    everyoneLeaves()
    await limited.server.close()
  })

  test('whose body comes more slowly than 4 KiB a second are answered with 408 long before the request as a whole is late', async () => {
    const limited = await open({ slowBodyMs: 300 })
    const { key } = await gateway.account()
    const head = `${POST}Authorization: Bearer ${key}\r\nContent-Length: 1000000\r\n\r\n`
    const [slow, fast] = [limited.come(head), limited.come(head)]
    const dripping = setInterval(() => slow.write(' '), 20)
    const flowing = setInterval(() => fast.write(' '.repeat(512)), 20)
    expect(await slow.receives('}')).toMatch(/^HTTP\/1\.1 408 .*"the request did not arrive in time; send it again"/s)
    await until(slow.isClosed)
    expect([fast.isClosed(), fast.received()]).toEqual([false, ''])
    for (const writing of [dripping, flowing]) clearInterval(writing)
    everyoneLeaves()
    await limited.server.close()
  })

  test('that upload a file more slowly than that are answered with 408 too', async () => {
    const limited = await open({ slowBodyMs: 300 })
    const { key } = await gateway.account()
    const head = `POST /v1/media HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`
    const slow = limited.come(`${head}Content-Type: text/plain\r\nContent-Length: 1000000\r\n\r\nx`)
    expect(await slow.receives('}')).toMatch(/^HTTP\/1\.1 408 .*"the request did not arrive in time; send it again"/s)
    await until(slow.isClosed)
    everyoneLeaves()
    await limited.server.close()
  })

  test('that the gateway has ended are closed even if their clients keep their side open', async () => {
    const limited = await open({ slowBodyMs: 100 })
    const { key } = await gateway.account()
    const { port } = limited.server.app.server.address() as AddressInfo
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const ended = new Promise(resolve => socket.once('end', resolve))
    socket.on('error', () => {}).resume()
    socket.write(`${POST}Authorization: Bearer ${key}\r\nContent-Length: 65536\r\n\r\n{`)
    await ended
    await until(async () => (await connectionsOf(limited.server)) === 0)
    socket.destroy()
    await limited.server.close()
  })
})

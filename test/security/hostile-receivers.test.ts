import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { createTargetPolicy, parseRanges, type TargetPolicyOptions } from '../../src/net/address-guard.ts'
import type { FailureKind, Phase } from '../../src/net/failure.ts'
import { createOutbound, type Outbound, type OutboundOptions } from '../../src/net/outbound.ts'
import type { NameResolver } from '../../src/net/resolve.ts'
import { makeCertificate } from '../harness/certificates.ts'
import { dnsServer } from '../harness/dns-server.ts'
import { drip, pour, rawReceiver } from '../harness/hostile-receiver.ts'

const timeoutMs = 1500
// Two cores shared with everything else that runs; the deadline itself is exact to a few milliseconds when idle.
const slackMs = 800
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function outboundTo(options: Partial<OutboundOptions> = {}, policy: Partial<TargetPolicyOptions> = {}): Outbound {
  const allowedRanges = parseRanges('127.0.0.0/8,::1/128')
  const outbound = createOutbound(createTargetPolicy({ requireHttps: false, allowedRanges, ...policy }), {
    timeoutMs,
    dnsBudgetMs: 400,
    ...options,
  })
  cleanups.push(outbound.close)
  return outbound
}

const request = { headers: { 'content-type': 'application/json' }, body: Buffer.from('{"kind":"message"}') }

async function postTo(url: string, outbound = outboundTo()) {
  const startedAt = performance.now()
  const answer = await outbound.post({ ...request, url })
  const tookMs = performance.now() - startedAt
  expect(tookMs).toBeLessThan(timeoutMs + slackMs)
  expect(Buffer.byteLength(answer.excerpt)).toBeLessThanOrEqual(1024)
  return answer
}

async function postToRaw(behave: (socket: Socket) => void, onConnect = false) {
  let read = 0
  const receiver = await rawReceiver(
    socket => {
      behave(socket)
      socket.on('close', () => {
        read += socket.bytesWritten - socket.writableLength
      })
    },
    { onConnect },
  )
  cleanups.push(receiver.close)
  const outbound = outboundTo()
  const answer = await postTo(receiver.url, outbound)
  await outbound.close()
  return { answer, receiver, read: () => read }
}

const head = 'HTTP/1.1 200 OK\r\n'
const megabyte = Buffer.alloc(1_048_576, 'x')
const longHeaders = `${head}X-Long: ${'a'.repeat(100_000)}\r\n\r\n`
const cookies = `${head}${'Set-Cookie: a=b\r\n'.repeat(10_000)}\r\n`

interface Failing {
  readonly name: string
  readonly behave: (socket: Socket) => void
  readonly kind: FailureKind
  readonly phase?: Phase
  readonly onConnect?: boolean
}
const failing: Failing[] = [
  { name: 'A14 accepts and never answers', behave: () => {}, kind: 'timeout', phase: 'headers' },
  {
    name: 'A14 accepts and never reads',
    behave: socket => socket.pause(),
    kind: 'timeout',
    phase: 'headers',
    onConnect: true,
  },
  {
    name: 'A15 sends its headers byte by byte',
    behave: socket => drip(socket, `${head}X-A: ${'b'.repeat(1000)}`, 20),
    kind: 'timeout',
    phase: 'headers',
  },
  { name: 'A18 sends 100 kB of header', behave: socket => socket.write(longHeaders), kind: 'invalid_response' },
  { name: 'A18 sends 10,000 cookies', behave: socket => socket.write(cookies), kind: 'invalid_response' },
  {
    name: 'A18 sends endless headers',
    behave: socket => pour(socket.write(head) ? socket : socket, 'X-More: and more\r\n'.repeat(100)),
    kind: 'invalid_response',
  },
  {
    name: 'A18 sends a NUL in a header',
    behave: socket => socket.end(`${head}X-A: a\0b\r\n\r\n`),
    kind: 'invalid_response',
  },
  { name: 'A18 speaks HTTP/0.9', behave: socket => socket.end('<html>hello</html>'), kind: 'invalid_response' },
  {
    name: 'A18 sends noise',
    behave: socket => socket.end(Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * 37) % 256))),
    kind: 'invalid_response',
  },
  {
    name: 'A18 sends nothing but line breaks',
    behave: socket => pour(socket, '\r\n'.repeat(1000)),
    kind: 'invalid_response',
  },
  {
    name: 'A18 announces a negative length',
    behave: socket => socket.end(`${head}Content-Length: -1\r\n\r\n`),
    kind: 'invalid_response',
  },
  {
    name: 'A18 announces two lengths',
    behave: socket => socket.end(`${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`),
    kind: 'invalid_response',
  },
  {
    name: 'A18 announces a length and chunks',
    behave: socket => socket.end(`${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
    kind: 'invalid_response',
  },
  {
    name: 'A20 floods with 102',
    behave: socket => pour(socket, 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)),
    kind: 'invalid_response',
  },
  {
    name: 'A20 floods with 100',
    behave: socket => pour(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)),
    kind: 'invalid_response',
  },
  {
    name: 'A20 sends one 103 and no more',
    behave: socket => socket.write('HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'),
    kind: 'timeout',
    phase: 'headers',
  },
  {
    name: 'A20 switches protocols',
    behave: socket => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n'),
    kind: 'invalid_response',
  },
  {
    name: 'A20 answers a status of 999',
    behave: socket => socket.end('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'),
    kind: 'invalid_response',
  },
  { name: 'A20 resets before it answers', behave: socket => void socket.resetAndDestroy(), kind: 'reset' },
  { name: 'A20 resets at once', behave: socket => void socket.resetAndDestroy(), kind: 'reset', onConnect: true },
  { name: 'A20 closes in the middle of the status line', behave: socket => socket.end('HTTP/1.1 2'), kind: 'reset' },
]

describe('a receiver that never gives a valid answer ends as a failure, within the deadline', () => {
  test.each(failing)('$name: $kind', async ({ behave, kind, phase, onConnect }) => {
    const { answer } = await postToRaw(behave, onConnect)
    expect(answer.ok).toBe(false)
    expect(answer.failure?.kind).toBe(kind)
    if (phase) expect(answer.failure?.phase).toBe(phase)
  })
})

const succeeding: Record<string, (socket: Socket) => void> = {
  'A15 sends its body byte by byte': socket => {
    socket.write(`${head}Content-Length: 100000\r\n\r\n`)
    drip(socket, 'body ', 20)
  },
  'A16 sends an endless body': socket => pour(socket.write(`${head}\r\n`) ? socket : socket, megabyte),
  'A16 announces 10 GB and sends them': socket => {
    socket.write(`${head}Content-Length: 10737418240\r\n\r\n`)
    pour(socket, megabyte)
  },
  'A16 announces 10 GB and sends nothing': socket => socket.write(`${head}Content-Length: 10737418240\r\n\r\n`),
  'A16 never ends its chunks': socket => socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`),
  'A16 sends endless chunks of one byte': socket => {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
    pour(socket, '1\r\nx\r\n'.repeat(1000))
  },
  'A16 sends an endless chunk extension': socket => {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n5`)
    pour(socket, ';a=b'.repeat(1000))
  },
  'A16 sends endless trailers': socket => {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n0\r\n`)
    pour(socket, 'X-Trailer: more\r\n'.repeat(100))
  },
  'A17 sends a gzip bomb': socket => {
    const bomb = gzipSync(Buffer.alloc(50 * 1_048_576))
    socket.write(`${head}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`)
    socket.end(bomb)
  },
  'A17 names a thousand encodings': socket =>
    socket.end(`${head}Content-Encoding: ${'gzip,'.repeat(1000)}br\r\nContent-Length: 2\r\n\r\nok`),
  'A18 sends a bad chunk': socket => socket.end(`${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\nhello\r\n`),
  'A18 sends header bytes that are no text': socket =>
    socket.end(
      Buffer.concat([
        Buffer.from(`${head}X-A: `),
        Buffer.from([0xff, 0xfe, 0xe9]),
        Buffer.from('\r\nContent-Length: 0\r\n\r\n'),
      ]),
    ),
  'A20 sends a 204 with a body': socket => socket.end('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello'),
  'A20 sends a few 1xx, then 200': socket =>
    socket.end(`${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(3)}${head}Content-Length: 2\r\n\r\nok`),
  'A20 resets after its headers': socket =>
    void socket.write(`${head}Content-Length: 10\r\n\r\nhell`, () => setImmediate(() => socket.resetAndDestroy())),
  'A20 closes before its body is whole': socket => socket.end(`${head}Content-Length: 10\r\n\r\nhell`),
  'A19 asks to come back in ten years': socket =>
    socket.end(`${head}Retry-After: 315360000\r\nRetry-After: -1\r\nContent-Length: 0\r\n\r\n`),
}

describe('a 2xx status line is a success, whatever follows, and at most 64 KB of it are read', () => {
  test.each(Object.entries(succeeding))('%s', async (_, behave) => {
    const { answer } = await postToRaw(behave)
    expect(answer.ok).toBe(true)
    expect(answer.failure).toBeUndefined()
    expect(answer.httpStatus).toBeGreaterThanOrEqual(200)
    expect(answer.latencyMs).toBeLessThan(timeoutMs)
  })

  test('of an endless body the socket takes no more than the cap and what the kernel had in hand', async () => {
    let taken = 0
    const receiver = await rawReceiver(socket => {
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
      const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`
      const more = () => {
        if (!socket.destroyed) socket.write(chunk, error => error || ((taken += chunk.length), setImmediate(more)))
      }
      more()
    })
    cleanups.push(receiver.close)
    const answer = await postTo(receiver.url)
    await expect.poll(receiver.open).toBe(0)
    expect(answer.excerpt).toBe('x'.repeat(1024))
    expect(taken).toBeGreaterThanOrEqual(65_536)
    // A loopback socket pair buffers some megabytes at most; what matters is that the pouring stopped.
    expect(taken).toBeLessThan(8 * 1_048_576)
  })

  test('a body that is slow does not hold back the result', async () => {
    const receiver = await rawReceiver(socket => socket.write(`${head}Content-Length: 5\r\n\r\nhel`))
    cleanups.push(receiver.close)
    const startedAt = performance.now()
    const answer = await outboundTo({ timeoutMs: 25_000 }).post({ ...request, url: receiver.url })
    expect(answer).toMatchObject({ ok: true, excerpt: 'hel' })
    expect(performance.now() - startedAt).toBeLessThan(5000)
    await expect.poll(receiver.open).toBe(0)
  })

  test('A17: encodings are neither asked for nor undone', async () => {
    let encoding: string | undefined
    const server = createHttpServer((incoming, response) => {
      encoding = incoming.headers['accept-encoding']
      response.setHeader('content-encoding', 'gzip').end(gzipSync('secret sauce'))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanups.push(() => server.close())
    const answer = await postTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    expect(encoding).toBe('identity')
    expect(answer.excerpt).not.toContain('secret sauce')
  })
})

describe('A8: redirects are failures and never followed', () => {
  test.each([300, 301, 302, 303, 304, 307, 308])('%i', async status => {
    const other = await rawReceiver(socket => socket.end(`${head}\r\n`))
    cleanups.push(other.close)
    const { answer } = await postToRaw(socket =>
      socket.end(`HTTP/1.1 ${status} Moved\r\nLocation: ${other.url}\r\nContent-Length: 0\r\n\r\n`),
    )
    expect(answer.failure?.kind).toBe('redirect')
    expect(answer.httpStatus).toBe(status)
    expect(other.connections()).toBe(0)
  })
})

describe('statuses', () => {
  test.each([
    [400, 'http_4xx'],
    [401, 'http_4xx'],
    [410, 'http_4xx'],
    [429, 'http_4xx'],
    [500, 'http_5xx'],
    [503, 'http_5xx'],
    [599, 'http_5xx'],
  ])('%i is %s', async (status, kind) => {
    const { answer } = await postToRaw(socket => socket.end(`HTTP/1.1 ${status} X\r\nContent-Length: 3\r\n\r\nwhy`))
    expect(answer).toMatchObject({ ok: false, httpStatus: status, excerpt: 'why', failure: { kind } })
  })
  test.each([200, 201, 202, 204, 206, 299])('%i is success', async status => {
    const { answer } = await postToRaw(socket => socket.end(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`))
    expect(answer.ok).toBe(true)
  })
})

describe('A21, A22: what an answer says is shown as harmless text', () => {
  test.each([
    ['markup', '<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['terminal codes', '\u001b[31mred\u0007', '\\u001b[31mred\\u0007'],
    ['a right-to-left override', 'a\u202eb', 'a\\u202eb'],
    ['NUL and line breaks', 'a\0b\r\nc\td', 'a\\u0000b\\r\\nc\\td'],
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0xc3, 0x62]), 'a\ufffd\ufffdb'],
    ['an isolated surrogate', Buffer.from([0xed, 0xa0, 0x80]), '\ufffd\ufffd\ufffd'],
  ])('%s', async (_, body, shown) => {
    const bytes = Buffer.from(body as string)
    const { answer } = await postToRaw(socket => {
      socket.write(`${head}Content-Length: ${bytes.length}\r\n\r\n`)
      socket.end(bytes)
    })
    expect(answer.excerpt).toBe(shown)
  })
  test('5 MB on one line', async () => {
    const { answer } = await postToRaw(socket => {
      socket.write(`${head}Content-Length: ${5 * megabyte.length}\r\n\r\n`)
      pour(socket, Buffer.alloc(1_048_576, 'é'))
    })
    expect(answer.excerpt).toBe('é'.repeat(512))
  })
})

describe('A5, A6, A7, A11: names', () => {
  async function receiverAt(host: string) {
    const receiver = await rawReceiver(socket => socket.end(`${head}Content-Length: 0\r\nConnection: close\r\n\r\n`), {
      host,
    })
    cleanups.push(receiver.close)
    return receiver
  }
  async function postByName(zone: Parameters<typeof dnsServer>[0], port: number, allowed = '127.0.0.2/32') {
    const dns = await dnsServer(zone)
    cleanups.push(dns.close)
    const outbound = outboundTo({ resolver: dns.resolver }, { allowedRanges: parseRanges(allowed) })
    return { dns, outbound, answer: await postTo(`http://hook.example:${port}/`, outbound) }
  }

  test.each([
    ['to a private address', { A: ['10.0.0.5'] }],
    ['to a private IPv6 address', { AAAA: ['fd00::1'] }],
    ['to a public and a private address', { A: ['127.0.0.2', '10.0.0.5'] }],
    ['to a public IPv4 and a private IPv6 address', { A: ['127.0.0.2'], AAAA: ['::1'] }],
    ['to the address of a metadata service', { A: ['169.254.169.254'] }],
    ['to a mapped address', { AAAA: ['::ffff:7f00:1'] }],
  ])('a name that leads %s is refused and nothing is dialled', async (_, records) => {
    const receiver = await receiverAt('127.0.0.2')
    const { answer } = await postByName(() => records, receiver.port)
    expect(answer.failure?.kind).toBe('address_not_allowed')
    expect(receiver.connections()).toBe(0)
    expect(answer.failure?.text).not.toMatch(/\d/)
  })

  test('A6: what is dialled is what was vetted, however the name changes its mind', async () => {
    const [allowed, forbidden] = [await receiverAt('127.0.0.2'), await receiverAt('127.0.0.3')]
    const zone = (_: string, times: number) => ({ A: [times % 2 === 1 ? '127.0.0.2' : '127.0.0.3'] })
    const { outbound, answer } = await postByName(zone, allowed.port)
    expect(answer.ok).toBe(true)
    for (let round = 0; round < 6; round++) {
      const next = await postTo(`http://hook.example:${forbidden.port}/`, outbound)
      expect(['address_not_allowed', 'refused']).toContain(next.failure?.kind)
    }
    expect(forbidden.connections()).toBe(0)
  })

  test('A7: every new connection asks again', async () => {
    const receiver = await receiverAt('127.0.0.2')
    const { dns, outbound } = await postByName(() => ({ A: ['127.0.0.2'] }), receiver.port)
    const before = dns.asked()
    await postTo(`http://hook.example:${receiver.port}/`, outbound)
    expect(dns.asked()).toBeGreaterThan(before)
  })

  test('a name whose first address is dead is reached at the next', async () => {
    const receiver = await receiverAt('127.0.0.2')
    const { answer } = await postByName(() => ({ A: ['127.0.0.9', '127.0.0.2'] }), receiver.port, '127.0.0.0/8')
    expect(answer.ok).toBe(true)
  })

  test('A10: a name that leads to the gateway itself is refused', async () => {
    const receiver = await receiverAt('127.0.0.1')
    const outbound = outboundTo({}, { ownOrigins: () => [`http://127.0.0.1:${receiver.port}`] })
    const answer = await postTo(`http://localhost:${receiver.port}/`, outbound)
    expect(answer.failure?.kind).toBe('address_not_allowed')
    expect(receiver.connections()).toBe(0)
  })

  test('localhost needs no name server', async () => {
    const receiver = await receiverAt('127.0.0.1')
    const refusing: NameResolver = {
      resolve4: () => Promise.reject(new Error()),
      resolve6: () => Promise.reject(new Error()),
    }
    expect((await postTo(`http://localhost:${receiver.port}/`, outboundTo({ resolver: refusing }))).ok).toBe(true)
    expect((await postTo(`http://api.localhost:${receiver.port}/`, outboundTo({ resolver: refusing }))).ok).toBe(true)
  })

  test('a name without addresses is a dns failure', async () => {
    const { answer } = await postByName(() => ({}), 8081)
    expect(answer.failure?.kind).toBe('dns')
  })

  test('a name server that never answers costs no more than its budget', async () => {
    const { answer } = await postByName(() => undefined, 8081)
    expect(answer.failure?.kind).toMatch(/dns|timeout/)
    expect(answer.latencyMs).toBeLessThan(timeoutMs)
  })

  test('a resolver that hangs is a timeout in the phase dns', async () => {
    const hanging: NameResolver = { resolve4: () => new Promise(() => {}), resolve6: () => new Promise(() => {}) }
    const answer = await postTo('http://hook.example/', outboundTo({ resolver: hanging }))
    expect(answer.failure).toMatchObject({ kind: 'timeout', phase: 'dns' })
    const longBudget = outboundTo({ resolver: hanging, dnsBudgetMs: 60_000 })
    expect((await postTo('http://hook.example/', longBudget)).failure).toMatchObject({ kind: 'timeout', phase: 'dns' })
  })

  test('an IPv4 host is reached although nobody answers for IPv6', async () => {
    const receiver = await receiverAt('127.0.0.2')
    const half: NameResolver = { resolve4: async () => ['127.0.0.2'], resolve6: () => new Promise(() => {}) }
    expect((await postTo(`http://hook.example:${receiver.port}/`, outboundTo({ resolver: half }))).ok).toBe(true)
  })

  test('a CNAME that loops is a dns failure', async () => {
    const { answer } = await postByName(name => ({ cname: name }), 8081)
    expect(answer.failure?.kind).toMatch(/dns|timeout/)
  })

  test('a name with thousands of addresses is vetted whole', async () => {
    const many = Array.from({ length: 5000 }, (_, n) => `127.0.${n >> 8}.${n & 255}`)
    const flooding = (addresses: string[]): NameResolver => ({
      resolve4: async () => addresses,
      resolve6: async () => [],
    })
    const answer = await postTo('http://hook.example:8081/', outboundTo({ resolver: flooding([...many, '10.0.0.1']) }))
    expect(answer.failure?.kind).toBe('address_not_allowed')
    expect((await postTo('http://hook.example:8081/', outboundTo({ resolver: flooding(many) }))).failure?.kind).toBe(
      'refused',
    )
  })
})

describe('A12: TLS', () => {
  const authority = {
    ...makeCertificate({ hosts: [], name: 'Test Authority', authority: true }),
    name: 'Test Authority',
  }
  const certificateAuthorities = [authority.certificate]

  async function tlsReceiver(options: TlsOptions): Promise<number> {
    const server = createTlsServer(options, socket => {
      socket.on('error', () => {})
      socket.on('data', () => socket.end(`${head}Content-Length: 2\r\nConnection: close\r\n\r\nok`))
    }).listen(0, '127.0.0.1')
    server.on('tlsClientError', () => {})
    await once(server, 'listening')
    cleanups.push(() => server.close())
    return (server.address() as AddressInfo).port
  }
  function keyed(certificate: { certificate: string; privateKey: string }): TlsOptions {
    return { cert: certificate.certificate, key: certificate.privateKey }
  }
  const longAgo = { validFrom: new Date('2020-01-01'), validUntil: new Date('2020-02-01') }
  const later = { validFrom: new Date('2045-01-01'), validUntil: new Date('2045-02-01') }

  test.each([
    ['self-signed', makeCertificate({ hosts: ['localhost'] }), /self-signed/],
    ['expired', makeCertificate({ hosts: ['localhost'], issuer: authority, ...longAgo }), /expired/],
    ['not valid yet', makeCertificate({ hosts: ['localhost'], issuer: authority, ...later }), /not valid yet/],
    ['for another host', makeCertificate({ hosts: ['other.example'], issuer: authority }), /another host/],
    ['for another address', makeCertificate({ hosts: ['127.0.0.1'], issuer: authority }), /another host/],
  ])('a certificate that is %s', async (_, certificate, text) => {
    const port = await tlsReceiver(keyed(certificate))
    const answer = await postTo(`https://localhost:${port}/`, outboundTo({ certificateAuthorities }))
    expect(answer.failure?.kind).toBe('tls')
    expect(answer.failure?.text).toMatch(text)
  })

  test('a good certificate, for a name and for an address', async () => {
    const port = await tlsReceiver(keyed(makeCertificate({ hosts: ['localhost', '127.0.0.1'], issuer: authority })))
    const outbound = outboundTo({ certificateAuthorities })
    expect((await postTo(`https://localhost:${port}/`, outbound)).excerpt).toBe('ok')
    expect((await postTo(`https://127.0.0.1:${port}/`, outbound)).ok).toBe(true)
    expect((await postTo(`https://localhost:${port}/`)).failure?.kind).toBe('tls')
  })

  test('the name, not the address dialled, is asked for', async () => {
    const certificate = makeCertificate({ hosts: ['hook.example'], issuer: authority })
    let asked: string | undefined
    const port = await tlsReceiver({
      ...keyed(certificate),
      SNICallback: (name, done) => done(null, ((asked = name), undefined)),
    })
    const resolver: NameResolver = { resolve4: async () => ['127.0.0.1'], resolve6: async () => [] }
    const answer = await postTo(`https://hook.example.:${port}/`, outboundTo({ certificateAuthorities, resolver }))
    expect(answer.ok).toBe(true)
    expect(asked).toBe('hook.example')
  })

  test('an old version of the protocol', async () => {
    const certificate = keyed(makeCertificate({ hosts: ['localhost'], issuer: authority }))
    const ciphers = 'DEFAULT:@SECLEVEL=0'
    const port = await tlsReceiver({ ...certificate, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers })
    const answer = await postTo(`https://localhost:${port}/`, outboundTo({ certificateAuthorities }))
    expect(answer.failure?.kind).toMatch(/tls|reset/)
  })

  test('a handshake that never ends', async () => {
    const receiver = await rawReceiver(() => {}, { onConnect: true })
    cleanups.push(receiver.close)
    const answer = await postTo(`https://localhost:${receiver.port}/`)
    expect(answer.failure).toMatchObject({ kind: 'timeout', phase: 'tls' })
    await expect.poll(receiver.open).toBe(0)
  })

  test('a handshake that drips', async () => {
    const receiver = await rawReceiver(socket => drip(socket, '\x16\x03\x03\x40\x00\x02', 20), { onConnect: true })
    cleanups.push(receiver.close)
    expect((await postTo(`https://localhost:${receiver.port}/`)).failure?.kind).toMatch(/timeout|tls/)
  })

  test('a receiver that does not speak TLS', async () => {
    const receiver = await rawReceiver(socket => socket.end(`${head}\r\n`), { onConnect: true })
    cleanups.push(receiver.close)
    expect((await postTo(`https://localhost:${receiver.port}/`)).failure?.kind).toMatch(/tls|reset/)
  })
})

describe('A13: no oracle', () => {
  test('what a customer reads never names an address', async () => {
    const closed = await rawReceiver(() => {})
    await closed.close()
    const answers = [await postTo(closed.url), await postTo('http://10.0.0.5/'), await postTo('http://[fd00::1]/')]
    expect(answers.map(answer => answer.failure?.kind)).toEqual([
      'refused',
      'address_not_allowed',
      'address_not_allowed',
    ])
    for (const answer of answers) expect(JSON.stringify(answer.failure)).not.toMatch(/10\.0\.0|127\.|fd00|ECONN/)
  })
})

describe('one exchange among others', () => {
  test('an aborted signal rejects at once and closes the socket', async () => {
    const receiver = await rawReceiver(() => {})
    cleanups.push(receiver.close)
    const abort = new AbortController()
    const posting = outboundTo().post({ ...request, url: receiver.url, signal: abort.signal })
    await expect.poll(receiver.open).toBe(1)
    abort.abort(new Error('shutting down'))
    await expect(posting).rejects.toThrow('shutting down')
    await expect.poll(receiver.open).toBe(0)
    expect(receiver.connections()).toBe(1)
  })

  test('a header value from outside cannot break or split the request', async () => {
    let received: string | undefined
    const server = createHttpServer((incoming, response) => {
      received = incoming.headers['x-message-id'] as string
      expect(incoming.headers['x-injected']).toBeUndefined()
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanups.push(() => server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const headers = { 'x-message-id': 'a\r\nX-Injected: 1\0é\ud800😀' }
    expect((await outboundTo().post({ ...request, url, headers })).ok).toBe(true)
    expect(received).toBe('a%0d%0aX-Injected: 1%00%c3%a9%ef%bf%bd%f0%9f%98%80')
  })

  test('32 requests to one origin are in flight together', async () => {
    const waiting: Socket[] = []
    const receiver = await rawReceiver(socket => waiting.push(socket))
    cleanups.push(receiver.close)
    const outbound = outboundTo({ timeoutMs: 10_000 })
    const posts = Array.from({ length: 32 }, () => outbound.post({ ...request, url: receiver.url }))
    await expect.poll(() => waiting.length, { timeout: 5000 }).toBe(32)
    for (const socket of waiting) socket.end(`${head}Content-Length: 0\r\n\r\n`)
    expect((await Promise.all(posts)).every(answer => answer.ok)).toBe(true)
  })

  test('a connection is used again', async () => {
    const receiver = await rawReceiver(socket => socket.write(`${head}Content-Length: 2\r\n\r\nok`))
    cleanups.push(receiver.close)
    const outbound = outboundTo()
    for (let n = 0; n < 50; n++) expect((await postTo(receiver.url, outbound)).ok).toBe(true)
    // A request may start before the connection of the one before is back in the pool.
    expect(receiver.connections()).toBeLessThanOrEqual(2)
  })

  test('idle origins are given up when there are too many', async () => {
    const receivers = await Promise.all(
      Array.from({ length: 12 }, () => rawReceiver(socket => socket.write(`${head}Content-Length: 0\r\n\r\n`))),
    )
    for (const receiver of receivers) cleanups.push(receiver.close)
    const outbound = outboundTo({ maxIdleOrigins: 4 })
    for (const receiver of receivers) await postTo(receiver.url, outbound)
    expect(outbound.openOrigins()).toBe(4)
    await expect.poll(() => receivers.filter(receiver => receiver.open() > 0).length).toBe(4)
  })

  test('5 MB go out whole, and a receiver that reads them slowly hits the deadline', async () => {
    const body = Buffer.alloc(5_300_000, 'a')
    let size = 0
    const server = createHttpServer((incoming, response) => {
      incoming.on('data', (chunk: Buffer) => (size += chunk.length)).on('end', () => response.end())
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanups.push(() => server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    expect((await outboundTo({ timeoutMs: 5000 }).post({ ...request, url, body })).ok).toBe(true)
    expect(size).toBe(body.length)

    const lazy = await rawReceiver(socket => socket.pause(), { onConnect: true })
    cleanups.push(lazy.close)
    const answer = await outboundTo().post({ ...request, url: lazy.url, body })
    expect(answer.failure?.kind).toBe('timeout')
  })
})

import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { ExchangeFailureKind, Phase } from '../../src/domain/exchange-failure.ts'
import { drip, pour, rawReceiver } from '../harness/hostile-receiver.ts'
import { cleanups, HANGING_MS, head, postTo, postToRaw } from '../harness/outbound.ts'

const megabyte = Buffer.alloc(1_048_576, 'x')
const bomb = gzipSync(Buffer.alloc(50 * 1_048_576))
const longHeaders = `${head}X-Long: ${'a'.repeat(100_000)}\r\n\r\n`
const cookies = `${head}${'Set-Cookie: a=b\r\n'.repeat(10_000)}\r\n`

interface Failing {
  readonly name: string
  readonly behave: (socket: Socket) => void
  readonly kind: ExchangeFailureKind
  readonly phase?: Phase
  readonly onConnect?: boolean
}
const failing: Failing[] = [
  { name: 'accepts and never answers (A14)', behave: () => {}, kind: 'timeout', phase: 'headers' },
  {
    name: 'accepts and never reads (A14)',
    behave: socket => socket.pause(),
    kind: 'timeout',
    phase: 'headers',
    onConnect: true,
  },
  {
    name: 'sends its headers byte by byte (A15)',
    behave: socket => drip(socket, `${head}X-A: ${'b'.repeat(1000)}`, 20),
    kind: 'timeout',
    phase: 'headers',
  },
  { name: 'sends 100 kB of header (A18)', behave: socket => socket.write(longHeaders), kind: 'invalid_response' },
  { name: 'sends 10,000 cookies (A18)', behave: socket => socket.write(cookies), kind: 'invalid_response' },
  {
    name: 'sends endless headers (A18)',
    behave: socket => pour(socket.write(head) ? socket : socket, 'X-More: and more\r\n'.repeat(100)),
    kind: 'invalid_response',
  },
  {
    name: 'sends a NUL in a header (A18)',
    behave: socket => socket.end(`${head}X-A: a\0b\r\n\r\n`),
    kind: 'invalid_response',
  },
  { name: 'speaks HTTP/0.9 (A18)', behave: socket => socket.end('<html>hello</html>'), kind: 'invalid_response' },
  {
    name: 'sends noise (A18)',
    behave: socket => socket.end(Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * 37) % 256))),
    kind: 'invalid_response',
  },
  {
    name: 'sends nothing but line breaks (A18)',
    behave: socket => pour(socket, '\r\n'.repeat(1000)),
    kind: 'invalid_response',
  },
  {
    name: 'announces a negative length (A18)',
    behave: socket => socket.end(`${head}Content-Length: -1\r\n\r\n`),
    kind: 'invalid_response',
  },
  {
    name: 'announces two lengths (A18)',
    behave: socket => socket.end(`${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`),
    kind: 'invalid_response',
  },
  {
    name: 'announces a length and chunks (A18)',
    behave: socket => socket.end(`${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
    kind: 'invalid_response',
  },
  {
    name: 'floods with 102 (A20)',
    behave: socket => pour(socket, 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)),
    kind: 'invalid_response',
  },
  {
    name: 'floods with 100 (A20)',
    behave: socket => pour(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)),
    kind: 'invalid_response',
  },
  {
    name: 'sends one 103 and no more (A20)',
    behave: socket => socket.write('HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'),
    kind: 'timeout',
    phase: 'headers',
  },
  {
    name: 'switches protocols (A20)',
    behave: socket => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n'),
    kind: 'invalid_response',
  },
  {
    name: 'answers a status of 999 (A20)',
    behave: socket => socket.end('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'),
    kind: 'invalid_response',
  },
  { name: 'resets before it answers (A20)', behave: socket => void socket.resetAndDestroy(), kind: 'reset' },
  { name: 'resets at once (A20)', behave: socket => void socket.resetAndDestroy(), kind: 'reset', onConnect: true },
  { name: 'closes in the middle of the status line (A20)', behave: socket => socket.end('HTTP/1.1 2'), kind: 'reset' },
]

describe('Within the deadline, the request to a receiver that', () => {
  test.each(failing)('$name ends as $kind', async ({ behave, kind, phase, onConnect = false }) => {
    const answer = await postToRaw(behave, { onConnect, ...(kind === 'timeout' && { timeoutMs: HANGING_MS }) })
    expect(answer.ok).toBe(false)
    expect(answer.failure?.kind).toBe(kind)
    if (phase) expect(answer.failure?.phase).toBe(phase)
  })
})

const succeeding: Record<string, (socket: Socket) => void> = {
  'sends its body byte by byte (A15)': socket => {
    socket.write(`${head}Content-Length: 100000\r\n\r\n`)
    drip(socket, 'body ', 20)
  },
  'sends an endless body (A16)': socket => pour(socket.write(`${head}\r\n`) ? socket : socket, megabyte),
  'announces 10 GB and sends them (A16)': socket => {
    socket.write(`${head}Content-Length: 10737418240\r\n\r\n`)
    pour(socket, megabyte)
  },
  'announces 10 GB and sends nothing (A16)': socket => socket.write(`${head}Content-Length: 10737418240\r\n\r\n`),
  'never ends its chunks (A16)': socket => socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`),
  'sends endless chunks of one byte (A16)': socket => {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
    pour(socket, '1\r\nx\r\n'.repeat(1000))
  },
  'sends an endless chunk extension (A16)': socket => {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n5`)
    pour(socket, ';a=b'.repeat(1000))
  },
  'sends endless trailers (A16)': socket => {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n0\r\n`)
    pour(socket, 'X-Trailer: more\r\n'.repeat(100))
  },
  'sends a gzip bomb (A17)': socket => {
    socket.write(`${head}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`)
    socket.end(bomb)
  },
  'names a thousand encodings (A17)': socket =>
    socket.end(`${head}Content-Encoding: ${'gzip,'.repeat(1000)}br\r\nContent-Length: 2\r\n\r\nok`),
  'sends a bad chunk (A18)': socket => socket.end(`${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\nhello\r\n`),
  'sends header bytes that are no text (A18)': socket =>
    socket.end(
      Buffer.concat([
        Buffer.from(`${head}X-A: `),
        Buffer.from([0xff, 0xfe, 0xe9]),
        Buffer.from('\r\nContent-Length: 0\r\n\r\n'),
      ]),
    ),
  'sends a 204 with a body (A20)': socket => socket.end('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello'),
  'sends a few 1xx, then 200 (A20)': socket =>
    socket.end(`${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(3)}${head}Content-Length: 2\r\n\r\nok`),
  'resets after its headers (A20)': socket =>
    void socket.write(`${head}Content-Length: 10\r\n\r\nhell`, () => setImmediate(() => socket.resetAndDestroy())),
  'closes before its body is whole (A20)': socket => socket.end(`${head}Content-Length: 10\r\n\r\nhell`),
  'asks to come back in ten years (A19)': socket =>
    socket.end(`${head}Retry-After: 315360000\r\nRetry-After: -1\r\nContent-Length: 0\r\n\r\n`),
}

describe('A 2xx status line is a success whatever follows, even if the receiver', () => {
  test.each(Object.entries(succeeding))('%s', async (_, behave) => {
    const answer = await postToRaw(behave)
    expect(answer.ok).toBe(true)
    expect(answer.failure).toBeUndefined()
    expect(answer.httpStatus).toBeGreaterThanOrEqual(200)
  })
})

describe('After a 2xx status line', () => {
  test('the socket reads no more than 64 KB of an endless body, plus what the kernel had buffered', async () => {
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
    // A loopback socket pair buffers some megabytes at most; what matters is that the writing stopped.
    expect(taken).toBeLessThan(8 * 1_048_576)
  })

  test('a slow body does not delay the result', async () => {
    const receiver = await rawReceiver(socket => socket.write(`${head}Content-Length: 5\r\n\r\nhel`))
    cleanups.push(receiver.close)
    expect(await postTo(receiver.url)).toMatchObject({ ok: true, excerpt: 'hel' })
    await expect.poll(receiver.open).toBe(0)
  })

  test('encodings are neither requested nor decoded (A17)', async () => {
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

describe('A redirect (A8)', () => {
  test.each([300, 301, 302, 303, 304, 307, 308])('with %i is a failure and is never followed', async status => {
    const other = await rawReceiver(socket => socket.end(`${head}\r\n`))
    cleanups.push(other.close)
    const answer = await postToRaw(socket =>
      socket.end(`HTTP/1.1 ${status} Moved\r\nLocation: ${other.url}\r\nContent-Length: 0\r\n\r\n`),
    )
    expect(answer.failure?.kind).toBe('redirect')
    expect(answer.httpStatus).toBe(status)
    expect(other.connections()).toBe(0)
  })
})

describe('A response with status', () => {
  test.each([
    [400, 'http_4xx'],
    [401, 'http_4xx'],
    [410, 'http_4xx'],
    [429, 'http_4xx'],
    [500, 'http_5xx'],
    [503, 'http_5xx'],
    [599, 'http_5xx'],
  ])('%i is %s', async (status, kind) => {
    const answer = await postToRaw(socket => socket.end(`HTTP/1.1 ${status} X\r\nContent-Length: 3\r\n\r\nwhy`))
    expect(answer).toMatchObject({ ok: false, httpStatus: status, excerpt: 'why', failure: { kind } })
  })
  test.each([200, 201, 202, 204, 206, 299])('%i is a success', async status => {
    const answer = await postToRaw(socket => socket.end(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`))
    expect(answer.ok).toBe(true)
  })
})

describe('In the excerpt of a response (A21, A22)', () => {
  test.each([
    ['markup', '<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['terminal codes', '\u001b[31mred\u0007', '\\u001b[31mred\\u0007'],
    ['a right-to-left override', 'a\u202eb', 'a\\u202eb'],
    ['NUL and line breaks', 'a\0b\r\nc\td', 'a\\u0000b\\r\\nc\\td'],
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0xc3, 0x62]), 'a\ufffd\ufffdb'],
    ['an isolated surrogate', Buffer.from([0xed, 0xa0, 0x80]), '\ufffd\ufffd\ufffd'],
  ])('%s is harmless', async (_, body, shown) => {
    const bytes = Buffer.from(body as string)
    const answer = await postToRaw(socket => {
      socket.write(`${head}Content-Length: ${bytes.length}\r\n\r\n`)
      socket.end(bytes)
    })
    expect(answer.excerpt).toBe(shown)
  })
  test('5 MB on one line are cut to 1 KB of whole characters', async () => {
    const answer = await postToRaw(socket => {
      socket.write(`${head}Content-Length: ${5 * megabyte.length}\r\n\r\n`)
      pour(socket, Buffer.alloc(1_048_576, 'é'))
    })
    expect(answer.excerpt).toBe('é'.repeat(512))
  })
})

test('the failure that a customer reads never names an address (A13)', async () => {
  const closed = await rawReceiver(() => {})
  await closed.close()
  const answers = [await postTo(closed.url), await postTo('http://10.0.0.5/'), await postTo('http://[fd00::1]/')]
  expect(answers.map(answer => answer.failure?.kind)).toEqual(['refused', 'address_not_allowed', 'address_not_allowed'])
  for (const answer of answers) expect(JSON.stringify(answer.failure)).not.toMatch(/10\.0\.0|127\.|fd00|ECONN/)
})

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import { pour, type RawReceiver, rawReceiver } from '../../test/harness/hostile-receiver.ts'
import { createTargetPolicy, parseRanges } from './address-guard.ts'
import { saveDownload } from './download.ts'
import { createOutbound } from './outbound.ts'

const policy = createTargetPolicy({
  clock: systemClock,
  requireHttps: false,
  allowedRanges: parseRanges(['127.0.0.0/8']),
})
const maxBytes = 4 * 1_048_576
const outbound = createOutbound(policy, { clock: systemClock, timeoutMs: 60_000 })
const head = 'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n'
let folder: string
let files = 0
let receiver: RawReceiver | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-download-'))
})
afterEach(async () => receiver?.close())
afterAll(async () => {
  await outbound.close()
  await rm(folder, { recursive: true })
})

async function fetchFrom(behave: (socket: Socket) => void, deadline: { timeoutMs?: number } = {}) {
  receiver = await rawReceiver(behave)
  return outbound.download({ url: receiver.url, maxBytes, ...deadline })
}
async function saveFrom(behave: (socket: Socket) => void, deadline?: { timeoutMs: number }) {
  const path = join(folder, String(files++))
  return { path, result: await saveDownload(fetchFrom(behave, deadline), path) }
}

test('content comes as a stream with its type', async () => {
  const download = await fetchFrom(socket => socket.end(`${head}Content-Length: 5\r\n\r\nhello`))
  if (!download.ok) throw new Error(download.failure.text)
  expect(download.contentType).toBe('image/png')
  expect(await text(download.body)).toBe('hello')
})

test('content up to the limit is saved whole', async () => {
  const content = Buffer.alloc(maxBytes, 'abcdefg')
  const { path, result } = await saveFrom(socket => {
    socket.write(`${head}Content-Length: ${content.length}\r\n\r\n`)
    socket.end(content)
  })
  expect(result).toEqual({ ok: true, contentType: 'image/png', bytes: maxBytes })
  expect((await readFile(path)).equals(content)).toBe(true)
})

test('a length beyond the limit is refused before any content is taken', async () => {
  const download = await fetchFrom(socket => socket.write(`${head}Content-Length: ${maxBytes + 1}\r\n\r\n`))
  expect(download).toMatchObject({ ok: false, httpStatus: 200, failure: { kind: 'too_large' } })
  await expect.poll(() => receiver?.open()).toBe(0)
})

test('content beyond the limit is cut off while it streams', async () => {
  const { result } = await saveFrom(socket => {
    socket.write(`${head}\r\n`)
    pour(socket, Buffer.alloc(65_536, 'x'))
  })
  expect(result).toMatchObject({ ok: false, failure: { kind: 'too_large' } })
  await expect.poll(() => receiver?.open()).toBe(0)
})

test('a reader that waits holds back the sender, not the memory', async () => {
  let sent = 0
  const download = await fetchFrom(socket => {
    socket.write(`${head}\r\n`)
    const more = () =>
      void (socket.destroyed || socket.write(Buffer.alloc(65_536), error => error || ((sent += 65_536), more())))
    more()
  })
  if (!download.ok) throw new Error(download.failure.text)
  let seen = -1
  await expect.poll(() => sent === seen || ((seen = sent), false), { interval: 100 }).toBe(true)
  expect(download.body.readableLength).toBeLessThanOrEqual(262_144)
  download.body.destroy()
  await expect.poll(() => receiver?.open()).toBe(0)
})

test.each([
  ['301', 'redirect'],
  ['403', 'http_4xx'],
  ['404', 'http_4xx'],
  ['500', 'http_5xx'],
])('%s is a failure', async (status, kind) => {
  const download = await fetchFrom(socket => socket.end(`HTTP/1.1 ${status} X\r\nLocation: http://127.0.0.1/\r\n\r\n`))
  expect(download).toMatchObject({ ok: false, httpStatus: Number(status), failure: { kind } })
})

test('content in an encoding that was not asked for is refused', async () => {
  const download = await fetchFrom(socket => {
    socket.write(`${head}Content-Encoding: gzip\r\n\r\n`)
    socket.end(gzipSync(Buffer.alloc(1_048_576)))
  })
  expect(download).toMatchObject({ ok: false, failure: { kind: 'invalid_response' } })
})

test('content that stops half way fails at the deadline', async () => {
  const stops = (socket: Socket) => void socket.write(`${head}Content-Length: 100\r\n\r\nhalf`)
  const { result } = await saveFrom(stops, { timeoutMs: 1_000 })
  expect(result).toMatchObject({ ok: false, failure: { kind: 'timeout', phase: 'body' } })
})

test('content cut off half way is a failure', async () => {
  const { result } = await saveFrom(socket => socket.end(`${head}Content-Length: 100\r\n\r\nhalf`))
  expect(result.ok).toBe(false)
})

test('a private address is refused', async () => {
  expect(await outbound.download({ url: 'http://169.254.169.254/latest/meta-data/', maxBytes })).toMatchObject({
    ok: false,
    failure: { kind: 'address_not_allowed' },
  })
})

test('an aborted signal ends it, before and during the content', async () => {
  receiver = await rawReceiver(socket => socket.write(`${head}Content-Length: 100\r\n\r\nhalf`))
  const abort = new AbortController()
  const download = await outbound.download({ url: receiver.url, maxBytes, signal: abort.signal })
  if (!download.ok) throw new Error(download.failure.text)
  abort.abort(new Error('stopping'))
  await expect(text(download.body)).rejects.toThrow('stopping')
  await expect(outbound.download({ url: receiver.url, maxBytes, signal: abort.signal })).rejects.toThrow('stopping')
})

test.each<[string, (socket: Socket) => void]>([
  ['noise', socket => socket.end('hello, world')],
  ['interim answers without end', socket => pour(socket, 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(10))],
  ['headers without end', socket => pour(socket.write(head) ? socket : socket, 'X-More: and more\r\n'.repeat(100))],
  [
    'a switch of protocols',
    socket => socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  ],
  ['a bad chunk', socket => socket.end(`${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`)],
])('%s is a failure', async (_, behave) => {
  const { result } = await saveFrom(behave)
  expect(result).toMatchObject({ ok: false, failure: { kind: expect.stringMatching(/invalid_response|reset/) } })
  await expect.poll(() => receiver?.open()).toBe(0)
})

test('content that ends with the connection is read to its end by a slow reader', async () => {
  const download = await fetchFrom(socket => {
    socket.write(`${head}\r\n`)
    socket.end(Buffer.alloc(1_000_000, 'x'))
  })
  if (!download.ok) throw new Error(download.failure.text)
  let bytes = 0
  for await (const chunk of download.body) {
    bytes += (chunk as Buffer).length
    await new Promise(resolve => setImmediate(resolve))
  }
  expect(bytes).toBe(1_000_000)
})

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PosternClient } from './client.ts'
import type { ListenerPosition } from './listen.ts'

interface Reply {
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Record<string, string>
}
/** `silent`: the request is never answered. */
type Answer = Reply | 'silent'

let server: Server
let client: PosternClient
let seen: string[]
/** What the next requests of a method get; after that 200 with an empty page. */
let answers: Record<string, Answer[]>

const event = (n: number) => ({ cursor: String(n), kind: 'message', body: JSON.stringify({ kind: 'message', n }) })
const page = (...numbers: number[]): Reply => ({
  body: { data: numbers.map(event), cursor: String(numbers.at(-1)), missed: 0 },
})
const opened = (id: string): Reply => ({ status: 201, body: { id, cursor: '7' } })

beforeEach(async () => {
  seen = []
  answers = {}
  server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    const after = new URL(request.url!, 'http://x').searchParams.get('after')
    const answer = answers[request.method!]?.shift() ?? { body: { data: [], cursor: after, missed: 0 } }
    if (answer === 'silent') return
    const headers = { 'content-type': 'application/json', ...answer.headers }
    response.writeHead(answer.status ?? 200, headers).end(JSON.stringify(answer.body ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = new PosternClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'ptn_test',
    maxRetries: 0,
    // No request ends by this deadline before its test does.
    timeoutMs: 3_600_000,
  })
})
afterEach(() => {
  server.close()
  server.closeAllConnections()
})

/** Reads this many events, then ends the loop. */
async function read(count: number, options: Parameters<PosternClient['listen']>[0] = {}): Promise<number[]> {
  const numbers: number[] = []
  for await (const { payload } of client.listen(options)) {
    numbers.push((payload as unknown as { n: number }).n)
    if (numbers.length === count) break
  }
  return numbers
}

test('onAcknowledge gives the position behind each event that was handled, and resume goes on there', async () => {
  answers = { POST: [opened('lsn_1')], GET: [page(8, 9), page(10)] }
  const positions: ListenerPosition[] = []
  expect(await read(3, { keepHours: 24, onAcknowledge: position => positions.push(position) })).toEqual([8, 9, 10])
  expect(positions).toEqual(['8', '9'].map(cursor => ({ id: 'lsn_1', cursor, keepHours: 24 })))
  answers = { GET: [page(10)] }
  expect(await read(1, { resume: positions.at(-1)! })).toEqual([10])
  expect(seen.at(-1)).toBe('GET /v1/listeners/lsn_1/events?after=9&wait=20&keep_hours=24')
})

test('a resumed listener is neither shortened nor deleted', async () => {
  answers = { GET: [page(8)] }
  await read(1, { resume: { id: 'lsn_1', cursor: '7' } })
  expect(seen).toEqual(['GET /v1/listeners/lsn_1/events?after=7&wait=20&keep_hours=168'])
})

test('a listener without keepHours is deleted when the loop ends', async () => {
  answers = { POST: [opened('lsn_1')], GET: [page(8)] }
  await read(1)
  expect(seen).toEqual([
    'POST /v1/listeners',
    'GET /v1/listeners/lsn_1/events?after=7&wait=20',
    'DELETE /v1/listeners/lsn_1',
  ])
})

test('a loop that is aborted ends while the gateway answers nothing, after one short attempt to delete its listener', async () => {
  answers = { POST: [opened('lsn_1')], GET: ['silent'], DELETE: ['silent', 'silent'] }
  const abort = new AbortController()
  const reading = read(1, { signal: abort.signal })
  await expect.poll(() => seen.length).toBe(2)
  abort.abort()
  expect(await reading).toEqual([])
  expect(seen.filter(request => request.startsWith('DELETE'))).toHaveLength(1)
})

test('a loop that is aborted before the gateway answers at all ends without an error', async () => {
  answers = { POST: ['silent'] }
  const abort = new AbortController()
  const reading = read(1, { signal: abort.signal })
  await expect.poll(() => seen.length).toBe(1)
  abort.abort()
  expect(await reading).toEqual([])
})

test('a listener that the gateway has forgotten is opened again, and onMissed is called with null', async () => {
  const forgotten = { status: 404, body: { error: 'listener not found' }, headers: { 'x-error-code': 'not_found' } }
  answers = { POST: [opened('lsn_2')], GET: [forgotten, page(8)] }
  const missed: Array<number | null> = []
  const ids: string[] = []
  const resume = { id: 'lsn_1', cursor: '3' }
  await read(1, { resume, onMissed: count => missed.push(count), onOpen: ({ id }) => ids.push(id) })
  expect([missed, ids]).toEqual([[null], ['lsn_2']])
})

test.each([404, 408, 502, 503])('a proxy that answers %i is retried, at the start and later', async status => {
  answers = { POST: [{ status }, opened('lsn_1')], GET: [{ status }, page(8)] }
  const onMissed = vi.fn()
  expect(await read(1, { onMissed })).toEqual([8])
  expect(onMissed).not.toHaveBeenCalled()
  expect(seen.filter(request => request.startsWith('POST'))).toHaveLength(2)
})

test('a gateway that is unreachable when a forgotten listener is opened again is retried', async () => {
  const forgotten = { status: 404, headers: { 'x-error-code': 'not_found' } }
  answers = { POST: [opened('lsn_1'), { status: 503 }, opened('lsn_2')], GET: [forgotten, page(8)] }
  expect(await read(1)).toEqual([8])
  expect(seen.at(-1)).toBe('DELETE /v1/listeners/lsn_2')
})

test('a request that the gateway rejects ends the loop with its error', async () => {
  answers = { POST: [{ status: 403, body: { error: 'this key may not listen' } }] }
  await expect(read(1)).rejects.toThrow('this key may not listen')
})

test('a server that ignores wait is asked at most a few times a second', async () => {
  answers = { POST: [opened('lsn_1')] }
  const abort = new AbortController()
  setTimeout(() => abort.abort(), 1_000)
  await read(1, { signal: abort.signal })
  expect(seen.filter(request => request.startsWith('GET')).length).toBeLessThanOrEqual(5)
})

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { PosternClient } from './client.ts'
import { PosternError } from './transport.ts'

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}
interface Reply {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly cut?: boolean
}

let server: Server
let replies: Reply[]
let seen: Seen[]
let client: PosternClient

beforeEach(async () => {
  replies = []
  seen = []
  server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = new PosternClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    apiKey: 'ptn_test',
  })
})
afterEach(() => {
  server.close()
  server.closeAllConnections()
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  seen.push({
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    body: await text(request),
  })
  const reply = replies.shift() ?? { status: 200, body: {} }
  if (reply.cut) return void request.socket.destroy()
  response
    .writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
    .end(JSON.stringify(reply.body ?? {}))
}

const message = { session_id: '999100@s.whatsapp.net', to: '15550001111', text: 'hi' }
const queued = { status: 202, body: { message_id: 'msg_1', request_id: 'key', status: 'queued' } }

describe('sending', () => {
  test('carries the key and an idempotency key', async () => {
    replies.push(queued)
    expect(await client.send(message, { idempotencyKey: 'booking-1' })).toMatchObject({ message_id: 'msg_1' })
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/v1/messages', body: JSON.stringify(message) })
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer ptn_test',
      'idempotency-key': 'booking-1',
      'content-type': 'application/json',
    })
  })
  test('repeats a 502 and a lost connection with the same idempotency key', async () => {
    replies.push({ status: 502 }, { status: 0, cut: true }, queued)
    await client.send(message)
    expect(seen).toHaveLength(3)
    expect(new Set(seen.map(request => request.headers['idempotency-key'])).size).toBe(1)
    expect(seen[0]?.headers['idempotency-key']).toBeTruthy()
  })
  test('waits at least Retry-After seconds after a 429', async () => {
    replies.push({ status: 429, headers: { 'retry-after': '1' } }, queued)
    const { setTimeout: wait } = globalThis
    const waits: Array<number | undefined> = []
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) => {
      waits.push(ms)
      return wait(run, ms === 1_000 ? 0 : ms)
    }) as typeof setTimeout)
    await client.send(message)
    timers.mockRestore()
    expect(waits).toContain(1_000)
    expect(seen).toHaveLength(2)
  })
  test.each(['nan', '-5', '', 'Infinity', '0x10', 'Wed, 21 Oct 2026 07:28:00 GMT'])(
    'ignores Retry-After: %s',
    async value => {
      replies.push({ status: 400, headers: { 'retry-after': value } })
      await expect(client.send(message)).rejects.toMatchObject({ status: 400, retryAfterSeconds: undefined })
    },
  )
  test('ends a request whose answer drips in when timeoutMs is over', async () => {
    server.removeAllListeners('request')
    server.on('request', (_, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 50)
      response.on('close', () => clearInterval(timer))
    })
    const options = { timeoutMs: 300, maxRetries: 0 }
    await expect(client.me(options)).rejects.toMatchObject({ status: 0, message: 'no answer within 300 ms' })
  })
  test('gives up at once where the wait would be too long', async () => {
    replies.push({ status: 429, body: { error: 'monthly quota exceeded' }, headers: { 'retry-after': '864000' } })
    const sending = client.send(message)
    await expect(sending).rejects.toMatchObject({
      status: 429,
      message: 'monthly quota exceeded',
      retryAfterSeconds: 864_000,
    })
    expect(seen).toHaveLength(1)
  })
  test('an aborted signal ends the wait', async () => {
    replies.push({ status: 429, headers: { 'retry-after': '30' } })
    const abort = new AbortController()
    const sending = client.send(message, { signal: abort.signal })
    await expect.poll(() => seen.length).toBe(1)
    abort.abort(new Error('enough'))
    await expect(sending).rejects.toThrow('enough')
  })
})

describe('refusals', () => {
  test.each([400, 401, 403, 404, 409])('%i is thrown with the text of the gateway and not repeated', async status => {
    replies.push({ status, body: { error: 'session does not belong to this tenant' } })
    await expect(client.send(message)).rejects.toThrow(
      new PosternError(status, 'session does not belong to this tenant'),
    )
    expect(seen).toHaveLength(1)
  })
  test('an error says what is at fault, where the cure stands and what the request is called', async () => {
    const said = { code: 'parameter_missing', param: 'to', type: 'http://x/docs/errors#parameter_missing' }
    replies.push({
      status: 400,
      body: { title: 'x', status: 400, detail: 'to is required', ...said, request_id: 'req_1' },
    })
    await expect(client.me()).rejects.toMatchObject({
      message: 'to is required',
      code: 'parameter_missing',
      param: 'to',
      docUrl: 'http://x/docs/errors#parameter_missing',
      requestId: 'req_1',
    })
    expect(seen[0]!.headers.accept).toBe('application/json, application/problem+json')
    replies.push({ status: 400, headers: { 'x-request-id': 'req_2' } })
    await expect(client.me()).rejects.toMatchObject({ code: undefined, requestId: 'req_2' })
  })
  test('an error in the plain form has its text, and what its headers say', async () => {
    const headers = { 'x-request-id': 'req_3', 'x-error-code': 'not_found' }
    replies.push({ status: 404, body: { error: 'webhook not found' }, headers })
    await expect(client.me()).rejects.toMatchObject({
      message: 'webhook not found',
      code: 'not_found',
      param: undefined,
      docUrl: undefined,
      requestId: 'req_3',
    })
  })
  test('what might be done twice is not repeated after a 5xx', async () => {
    replies.push({ status: 502, body: { error: 'later' } })
    await expect(client.webhooks.create({ session_id: 's' })).rejects.toMatchObject({ status: 502 })
    expect(seen).toHaveLength(1)
  })
  test('a redirect is not followed with the key in hand', async () => {
    replies.push({ status: 302, headers: { location: 'http://127.0.0.1:1/' } })
    await expect(client.webhooks.create({ session_id: 's' })).rejects.toBeInstanceOf(PosternError)
    expect(seen).toHaveLength(1)
  })
  test('no answer at all is status 0', async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
    await expect(client.webhooks.create({ session_id: 's' })).rejects.toMatchObject({ status: 0 })
  })
  test('the API key is in no error', async () => {
    replies.push({ status: 401, body: { error: 'invalid API key' } })
    const error = await client.me().catch((refusal: unknown) => refusal)
    expect(JSON.stringify(error) + String(error) + (error as Error).stack).not.toContain('ptn_test')
  })
})

test('ids and queries are encoded into the path', async () => {
  await client.sessions.get('999100:7@s.whatsapp.net')
  await client.deliveries.list({ status: 'dead', limit: 10, session_id: 'a b&c' })
  await client.sessions.reactInNewsletter('s/1', '1@newsletter', { server_id: 5, message_id: 'm', emoji: '👍' })
  await client.webhooks.delete('wh_1')
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v1/sessions/999100%3A7%40s.whatsapp.net',
    'GET /v1/deliveries?status=dead&limit=10&session_id=a+b%26c',
    'POST /v1/sessions/s%2F1/newsletters/1%40newsletter/react',
    'DELETE /v1/webhooks/wh_1',
  ])
})

describe('uploading', () => {
  test.each([
    ['bytes', new TextEncoder().encode('a file')],
    ['a blob', new Blob(['a file'])],
  ])('%s go as they are, under the type that is given', async (_what, content) => {
    replies = [{ status: 201, body: { media_url: 'sandbox-upload:x' } }]
    expect((await client.sandbox.uploadMedia(content, 'text/plain')).media_url).toBe('sandbox-upload:x')
    const [{ method, url, headers, body }] = seen as [Seen]
    expect([method, url, headers['content-type'], body]).toEqual(['POST', '/sandbox/media', 'text/plain', 'a file'])
  })
})

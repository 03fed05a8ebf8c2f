import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { signatureHeader, Signer } from '../../src/domain/signature.ts'
import type { WebhookEvent } from './events.ts'
import { webhook as onExpress } from './express.ts'
import { webhook as onFastify } from './fastify.ts'
import { webhook as onHono } from './hono.ts'
import { webhook as onNext } from './next.ts'
import type { WebhookDelivery, WebhookHandlerOptions } from './receive-webhook.ts'

const secret = 'whsec_0123456789abcdefghijklmnopqrstuv'
const event = { kind: 'message', chat_jid: '1@s.whatsapp.net', text: '¿Qué tal? 😀' }
const ending: (() => unknown)[] = []
afterAll(() => Promise.all(ending.map(end => end())))

let handled: { event: WebhookEvent; delivery: WebhookDelivery }[]
let onEvent: WebhookHandlerOptions['onEvent']
const errors: unknown[] = []
beforeEach(() => {
  handled = []
  onEvent = (received, delivery) => handled.push({ event: received, delivery })
})
const options = (): WebhookHandlerOptions => ({
  secret,
  onEvent: (...args) => onEvent(...args),
  onError: error => errors.push(error),
})

type Post = (body: string, headers: Record<string, string>) => Promise<{ status: number }>
const over =
  (url: string): Post =>
  (body, headers) =>
    fetch(url, { method: 'POST', body, headers })
const asRequest =
  (respond: (request: Request) => Promise<Response>): Post =>
  (body, headers) =>
    respond(new Request('http://127.0.0.1/webhooks', { method: 'POST', body, headers }))

type Listener = (request: IncomingMessage & { body?: unknown }, response: ServerResponse) => unknown
async function serve(listener: Listener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  ending.push(() => server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function startFastify(): Promise<Post> {
  const app = fastify()
  await app.register(onFastify({ ...options(), path: '/webhooks' }))
  app.post('/json', async request => request.body)
  ending.push(() => app.close())
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const parsed = await fetch(`${url}/json`, {
    method: 'POST',
    body: '{"a":1}',
    headers: { 'content-type': 'application/json' },
  })
  expect(await parsed.json()).toEqual({ a: 1 })
  return over(`${url}/webhooks`)
}

/** The bytes in `body`, as express.raw leaves them. */
function rawFirst(): Listener {
  const handler = onExpress(options())
  return async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    request.body = Buffer.concat(chunks)
    await handler(request, response)
  }
}

function startHono(): Post {
  const handler = onHono(options())
  return asRequest(request => handler({ req: { raw: request } }))
}

async function signed(body: string, id: string): Promise<Record<string, string>> {
  const header = await signatureHeader([new Signer(secret)], Math.floor(Date.now() / 1000), Buffer.from(body))
  const ids = { 'x-webhook-id': 'wh_1', 'x-message-id': id }
  return { 'content-type': 'application/json', 'x-webhook-signature': header, ...ids }
}

describe.each<[string, () => Promise<Post>]>([
  ['Express', async () => over(await serve(onExpress(options())))],
  ['Express behind express.raw', async () => over(await serve(rawFirst()))],
  ['Fastify', startFastify],
  ['Hono', async () => startHono()],
  ['Next', async () => asRequest(onNext(options()))],
])('on %s', (_name, start) => {
  test('an event of the gateway reaches the program, and the answer is 204', async () => {
    const post = await start()
    const body = JSON.stringify(event)
    expect((await post(body, await signed(body, 'msg_1'))).status).toBe(204)
    expect(handled).toEqual([{ event, delivery: { id: 'wh_1 msg_1 1@s.whatsapp.net', webhookId: 'wh_1' } }])
  })
  test('a request without a valid signature gets 401 and does not reach onEvent', async () => {
    const post = await start()
    const body = JSON.stringify(event)
    const headers = await signed(body, 'msg_1')
    expect((await post(`${body} `, headers)).status).toBe(401)
    const { 'x-webhook-signature': _, ...unsigned } = headers
    expect((await post(body, unsigned)).status).toBe(401)
    expect(handled).toEqual([])
  })
  test('what arrives again is handled once; what failed is handled again', async () => {
    const post = await start()
    const body = JSON.stringify(event)
    let failures = 1
    onEvent = (received, delivery) => {
      if (failures-- > 0) throw new Error('the queue is full')
      handled.push({ event: received, delivery })
    }
    expect((await post(body, await signed(body, 'msg_1'))).status).toBe(500)
    expect(errors.at(-1)).toEqual(new Error('the queue is full'))
    for (const id of ['msg_1', 'msg_1', 'msg_2']) expect((await post(body, await signed(body, id))).status).toBe(204)
    const otherChat = JSON.stringify({ ...event, chat_jid: '2@s.whatsapp.net' })
    await post(otherChat, await signed(otherChat, 'msg_1'))
    expect(handled).toHaveLength(3)
  })
})

test('the same event twice at once is handled once, and both wait for it', async () => {
  const post = asRequest(onNext(options()))
  const body = JSON.stringify(event)
  const headers = await signed(body, 'msg_1')
  const answers = await Promise.all([post(body, headers), post(body, headers)])
  expect(answers.map(({ status }) => status)).toEqual([204, 204])
  expect(handled).toHaveLength(1)
})

test('what was seen may be kept elsewhere', async () => {
  const ids = new Set(['wh_1 msg_1 1@s.whatsapp.net'])
  const seen = { has: async (id: string) => ids.has(id), add: async (id: string) => ids.add(id) }
  const post = asRequest(onNext({ ...options(), seen }))
  const body = JSON.stringify(event)
  for (const id of ['msg_1', 'msg_2']) expect((await post(body, await signed(body, id))).status).toBe(204)
  expect(handled).toHaveLength(1)
  expect(ids.size).toBe(2)
})

test('on Express a body that is parsed already is said to be so, and one that is too large is 413', async () => {
  const errors: unknown[] = []
  const handler = onExpress({ ...options(), maxBytes: 10 })
  const url = await serve((request, response) => {
    if (request.url === '/parsed') request.body = event
    return handler(request, response, error => {
      errors.push(error)
      response.writeHead(500).end()
    })
  })
  expect((await over(`${url}/parsed`)('{}', {})).status).toBe(500)
  expect(String(errors)).toContain('put the webhook handler before express.json()')
  expect((await over(url)('x'.repeat(11), {})).status).toBe(413)
})

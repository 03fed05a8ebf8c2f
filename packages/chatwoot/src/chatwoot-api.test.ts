import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ChatwootApi, type ChatwootError, storable } from './chatwoot-api.ts'
import { retryLaterOf } from './retry-later.ts'

let answer: { status: number; body: string } = { status: 200, body: '' }
let heard = ''
const server = createServer((request, response) => {
  heard = ''
  request.setEncoding('utf8').on('data', (chunk: string) => (heard += chunk))
  request.on('end', () => response.writeHead(answer.status).end(answer.body))
})
let api: ChatwootApi
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  api = new ChatwootApi({ origin, account: 1, token: 't', timeoutMs: 5_000 })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const message = { content: 'Hi', type: 'incoming' as const, isPrivate: false, sourceId: 'a', attributes: {} }
const OWN = '{"error":"Resource could not be found"}'
const PAGE = '<h1>Not Found</h1>'

describe('what is given up in the end is what Chatwoot itself refuses', () => {
  it.each([
    [400, OWN, true],
    [413, OWN, true],
    [415, OWN, true],
    [422, '{"message":"Content is too long","attributes":["content"]}', true],
    [422, '{"error":"Too many messages"}', false],
    [422, PAGE, false],
    [301, '', false],
    [400, PAGE, false],
    [403, OWN, false],
    [404, OWN, false],
    [404, PAGE, false],
    [405, PAGE, false],
    [413, PAGE, false],
    [500, OWN, false],
    [200, PAGE, false],
  ])('%i with %j: %j', async (status, body, isRefused) => {
    answer = { status, body }
    const refusal = await api.createMessage(1, message).catch((error: unknown) => error)
    expect(retryLaterOf(refusal as ChatwootError).isRefused).toBe(isRefused)
  })

  it.each([
    [OWN, true],
    [PAGE, false],
    ['{"message":"no Route matched with those values"}', false],
  ])('404 with %j means that a conversation is gone: %j', async (body, isGone) => {
    answer = { status: 404, body }
    const refusal = await api.messagesAfter(1, 0).catch((error: unknown) => error)
    expect((refusal as ChatwootError).isGone).toBe(isGone)
  })

  it('a page instead of a list is no empty list', async () => {
    answer = { status: 200, body: PAGE }
    await expect(api.messagesAfter(1, 0)).rejects.toMatchObject({ isUnknown: true })
  })
})

it.each([
  ['a\u0000b', 'ab'],
  ['a\tb\nc', 'a\tb\nc'],
  ['a\r\nb\u001b[31m\u0085', 'a\nb[31m'],
  ['\ud83d!', '\ufffd!'],
  ['👍 ünï', '👍 ünï'],
])('of %j Chatwoot gets %j', async (text, wanted) => {
  expect(storable(text)).toBe(wanted)
  answer = { status: 200, body: '{"id":1}' }
  await api.createMessage(1, { ...message, content: text })
  expect(JSON.parse(heard)).toMatchObject({ content: wanted })
})

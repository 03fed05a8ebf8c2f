import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { rawReceiver } from '../harness/hostile-receiver.ts'
import { cleanups, HANGING_MS, head, outboundTo, postTo, request } from '../harness/outbound.ts'

describe('Requests among others', () => {
  test('a header value from outside cannot break or split the request', async () => {
    let received: IncomingHttpHeaders = {}
    const server = createHttpServer((incoming, response) => {
      received = incoming.headers
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanups.push(() => server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const headers = { 'x-message-id': 'a\r\nX-Injected: 1\0é\ud800😀' }
    expect((await outboundTo().post({ ...request, url, headers })).ok).toBe(true)
    expect(received['x-message-id']).toBe('a%0d%0aX-Injected: 1%00%c3%a9%ef%bf%bd%f0%9f%98%80')
    expect(received).not.toHaveProperty('x-injected')
  })

  test('32 requests to one origin are in flight together', async () => {
    const waiting: Socket[] = []
    const receiver = await rawReceiver(socket => waiting.push(socket))
    cleanups.push(receiver.close)
    const outbound = outboundTo()
    const posts = Array.from({ length: 32 }, () => outbound.post({ ...request, url: receiver.url }))
    await expect.poll(() => waiting.length).toBe(32)
    for (const socket of waiting) socket.end(`${head}Content-Length: 0\r\n\r\n`)
    expect((await Promise.all(posts)).every(answer => answer.ok)).toBe(true)
  })

  test('a connection is reused', async () => {
    const receiver = await rawReceiver(socket => socket.write(`${head}Content-Length: 2\r\n\r\nok`))
    cleanups.push(receiver.close)
    const outbound = outboundTo()
    for (let n = 0; n < 50; n++) expect((await postTo(receiver.url, outbound)).ok).toBe(true)
    // A request may start before the connection of the one before is back in the pool.
    expect(receiver.connections()).toBeLessThanOrEqual(2)
  })

  test('idle origins are dropped if there are too many', async () => {
    const receivers = await Promise.all(
      Array.from({ length: 12 }, () => rawReceiver(socket => socket.write(`${head}Content-Length: 0\r\n\r\n`))),
    )
    for (const receiver of receivers) cleanups.push(receiver.close)
    const outbound = outboundTo({ maxIdleOrigins: 4 })
    for (const receiver of receivers) await postTo(receiver.url, outbound)
    await expect.poll(() => receivers.filter(receiver => receiver.open() > 0).length).toBe(4)
  })

  test('5 MB are sent completely, and a receiver that reads them slowly exceeds the deadline', async () => {
    const body = Buffer.alloc(5_300_000, 'a')
    let size = 0
    const server = createHttpServer((incoming, response) => {
      incoming.on('data', (chunk: Buffer) => (size += chunk.length)).on('end', () => response.end())
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanups.push(() => server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    expect((await outboundTo().post({ ...request, url, body })).ok).toBe(true)
    expect(size).toBe(body.length)

    const lazy = await rawReceiver(socket => socket.pause(), { onConnect: true })
    cleanups.push(lazy.close)
    const answer = await outboundTo({ timeoutMs: HANGING_MS }).post({ ...request, url: lazy.url, body })
    expect(answer.failure?.kind).toBe('timeout')
  })
})

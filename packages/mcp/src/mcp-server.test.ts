import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeMcpServer } from './mcp-server.ts'

const OPENAPI = readFileSync(join(import.meta.dirname, '../../../openapi.json'))

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>(done => (resolve = done))
  return { promise, resolve }
}

describe('a tool of the MCP server', () => {
  const asked = deferred()
  const streamLeft = deferred()
  const waitLeft = deferred()
  let gateway: Server
  let client: Client
  beforeAll(async () => {
    gateway = createServer(({ url }, response) => {
      const json = (body: string | Buffer) => response.setHeader('content-type', 'application/json').end(body)
      if (url === '/v1/me') return void json('{"key":null}')
      if (url === '/openapi.json') return void json(OPENAPI)
      // This server never ends the stream and never responds to the other request.
      if (url === '/v1/messages/msg_stream') {
        response.on('close', () => streamLeft.resolve())
        return void response.setHeader('content-type', 'text/event-stream').write(': \n\n')
      }
      response.on('close', () => waitLeft.resolve())
      asked.resolve()
    }).listen(0, '127.0.0.1')
    await once(gateway, 'listening')
    const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await makeMcpServer({ connect: () => Promise.resolve({ url, headers: {} }), version: '1' }).connect(ours)
    client = new Client({ name: 'test', version: '1' })
    await client.connect(theirs)
  })
  afterAll(async () => {
    await client.close()
    gateway.closeAllConnections()
    gateway.close()
  })

  it('rejects a response that is not JSON without reading its body', async () => {
    const { isError, content } = await client.callTool({ name: 'get_message', arguments: { message_id: 'msg_stream' } })
    expect([isError, content]).toEqual([true, [{ type: 'text', text: expect.stringContaining('200 and no JSON') }]])
    await streamLeft.promise
  })

  it('ends its request when the caller cancels', async () => {
    const caller = new AbortController()
    const call = client.callTool({ name: 'get_message', arguments: { message_id: 'msg_never' } }, undefined, {
      signal: caller.signal,
    })
    const ended = expect(call).rejects.toThrow()
    await asked.promise
    caller.abort()
    await ended
    await waitLeft.promise
  })
})

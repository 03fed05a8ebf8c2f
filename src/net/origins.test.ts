import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { createTargetPolicy, parseRanges } from './address-guard.ts'
import { createOutbound } from './outbound.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** A server that answers with the address it was reached at. */
async function serve(host: string, port = 0): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => request.resume().on('end', () => response.end(host)))
  await new Promise<void>(resolve => server.listen(port, host, resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, port: (server.address() as AddressInfo).port }
}

/** A name that moves to another machine while requests to it go on and on. */
async function movingName(socketMaxAgeMs: number) {
  const { server: old, port } = await serve('127.0.0.1')
  await serve('127.0.0.2', port)
  let sockets = 0
  old.on('connection', () => sockets++)
  let address = '127.0.0.1'
  const outbound = createOutbound(
    createTargetPolicy({ requireHttps: false, allowedRanges: parseRanges('127.0.0.0/8') }),
    {
      timeoutMs: 5_000,
      socketMaxAgeMs,
      resolver: { resolve4: async () => [address], resolve6: async () => [] },
    },
  )
  cleanups.push(outbound.close)
  const ask = async () => {
    // The connection before is free again only after its answer has been handed on.
    await pause(2)
    const answer = await outbound.post({ url: `http://moving.test:${port}/`, headers: {}, body: Buffer.from('{}') })
    return answer.excerpt
  }
  return { ask, move: () => (address = '127.0.0.2'), sockets: () => sockets }
}

test('a connection serves many requests, and none that comes when it has reached its age', async () => {
  const ageMs = 300
  const { ask, move, sockets } = await movingName(ageMs)
  const began = performance.now()
  expect(await ask()).toBe('127.0.0.1')
  move()
  let asked = 1
  while ((await ask()) === '127.0.0.1') {
    expect(performance.now() - began).toBeLessThan(ageMs + 3_000)
    asked++
  }
  expect(performance.now() - began).toBeGreaterThan(ageMs)
  expect(asked).toBeGreaterThan(3)
  expect(sockets()).toBe(1)
})

test('younger than that, it stays with the address that was judged', async () => {
  const { ask, move, sockets } = await movingName(60_000)
  expect(await ask()).toBe('127.0.0.1')
  move()
  const answers = new Set<string>()
  for (let n = 0; n < 50; n++) answers.add(await ask())
  expect(answers).toEqual(new Set(['127.0.0.1']))
  expect(sockets()).toBe(1)
})

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSecureContext } from 'node:tls'
import type Pool from 'undici/lib/dispatcher/pool.js'
import { afterEach, expect, test } from 'vitest'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { createTargetPolicy, parseRanges } from './address-guard.ts'
import { Origins } from './origins.ts'
import { createOutbound } from './outbound.ts'
import { post } from './post.ts'
import { createLookup } from './resolve.ts'
import { AllowedTargets } from './allowed-targets.ts'

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
async function movingName(socketMaxAgeMs: number, clock: Pick<Clock, 'monotonicMs'> = systemClock) {
  const { server: old, port } = await serve('127.0.0.1')
  await serve('127.0.0.2', port)
  let sockets = 0
  old.on('connection', () => sockets++)
  let address = '127.0.0.1'
  const policy = createTargetPolicy({
    clock: systemClock,
    requireHttps: false,
    allowedRanges: parseRanges(['127.0.0.0/8']),
  })
  const timeoutMs = 30_000
  const resolver = { resolve4: async () => [address], resolve6: async () => [] }
  const origins = new Origins({
    clock,
    policy,
    timeoutMs,
    lookup: createLookup({ clock, budgetMs: timeoutMs, resolver }),
    secureContext: createSecureContext(),
    maxAnswerBytes: 1_024,
    connectionsPerOrigin: 32,
    maxIdleOrigins: 1,
    socketMaxAgeMs,
  })
  cleanups.push(() => origins.close())
  const url = `http://moving.test:${port}`
  const ask = async () => {
    const answer = await post(
      { clock, targets: new AllowedTargets(policy, clock), origins, timeoutMs },
      { url, headers: {}, body: Buffer.from('{}') },
    )
    const origin = origins.enter(url)
    // The connection is free again only after its answer has been handed on; a new pool has none.
    const isFree = ({ free, connected }: Pool['stats']) => free > 0 || connected === 0
    await expect.poll(() => isFree(origin.pool.stats), { interval: 1 }).toBe(true)
    origin.leave()
    return answer.excerpt
  }
  return { ask, move: () => (address = '127.0.0.2'), sockets: () => sockets }
}

test('a connection serves many requests, but no new one after its maximum age', async () => {
  const ageMs = 300
  let nowMs = 0
  const { ask, move, sockets } = await movingName(ageMs, { monotonicMs: () => nowMs })
  expect(await ask()).toBe('127.0.0.1')
  move()
  for (nowMs = 50; nowMs <= ageMs; nowMs += 50) expect(await ask()).toBe('127.0.0.1')
  nowMs = ageMs + 1
  expect(await ask()).toBe('127.0.0.2')
  expect(sockets()).toBe(1)
})

test('a younger connection keeps the address that was checked', async () => {
  const { ask, move, sockets } = await movingName(60_000)
  expect(await ask()).toBe('127.0.0.1')
  move()
  const answers = new Set<string>()
  for (let n = 0; n < 50; n++) answers.add(await ask())
  expect(answers).toEqual(new Set(['127.0.0.1']))
  expect(sockets()).toBe(1)
})

test('requests continue where all connections reach their maximum age together', async () => {
  const { port } = await serve('127.0.0.1')
  const policy = createTargetPolicy({
    clock: systemClock,
    requireHttps: false,
    allowedRanges: parseRanges(['127.0.0.0/8']),
  })
  const outbound = createOutbound(policy, {
    clock: systemClock,
    timeoutMs: 30_000,
    connectionsPerOrigin: 4,
    socketMaxAgeMs: 1,
  })
  cleanups.push(outbound.close)
  const request = { url: `http://127.0.0.1:${port}/`, headers: {}, body: Buffer.from('{}') }
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(Array.from({ length: 4 }, () => outbound.post(request)))
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true, true])
    expect((await outbound.post(request)).ok).toBe(true)
  }
})

test('a request in flight finishes when its connection reaches its maximum age', async () => {
  const waiting: Array<() => void> = []
  const server = createServer((request, response) =>
    request.resume().on('end', () => waiting.push(() => response.end('late'))),
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const policy = createTargetPolicy({
    clock: systemClock,
    requireHttps: false,
    allowedRanges: parseRanges(['127.0.0.0/8']),
  })
  const outbound = createOutbound(policy, { clock: systemClock, timeoutMs: 5_000, socketMaxAgeMs: 1 })
  cleanups.push(outbound.close)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const post = () => outbound.post({ url, headers: {}, body: Buffer.from('{}') })
  const first = post()
  await expect.poll(() => waiting.length).toBe(1)
  const second = post()
  await expect.poll(() => waiting.length).toBe(2)
  for (const answer of waiting) answer()
  expect([(await first).excerpt, (await second).excerpt]).toEqual(['late', 'late'])
})

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { createTargetPolicy, parseRanges } from '../../src/net/address-guard.ts'
import { createOutbound } from '../../src/net/outbound.ts'
import { drip, pour, type RawReceiver, rawReceiver } from '../harness/hostile-receiver.ts'

const timeoutMs = 3000
const head = 'HTTP/1.1 200 OK\r\n'
const behaviours: ((socket: Socket) => unknown)[] = [
  () => {},
  socket => drip(socket, `${head}X-A: ${'b'.repeat(1000)}`, 100),
  socket => socket.write(`${head}Content-Length: 10737418240\r\n\r\n`) && drip(socket, 'x', 100),
  socket => socket.write(`${head}\r\n`) && pour(socket, Buffer.alloc(16_384, 'x')),
  socket => pour(socket, 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)),
  socket => socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`),
  socket => socket.resetAndDestroy(),
  socket => socket.write(`${head}X-Long: ${'a'.repeat(100_000)}\r\n\r\n`),
]
const closers: (() => unknown)[] = []
afterAll(() => Promise.all(closers.map(close => close())))

const request = { headers: { 'content-type': 'application/json' }, body: Buffer.alloc(1000, 'a') }

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] as number
}

test('500 hostile receivers at once: each ends in time, memory stays, and a healthy receiver notices nothing', async () => {
  const policy = createTargetPolicy({ requireHttps: false, allowedRanges: parseRanges('127.0.0.0/8') })
  const outbound = createOutbound(policy, { timeoutMs })
  closers.push(outbound.close)
  const hostile: RawReceiver[] = await Promise.all(
    Array.from({ length: 500 }, (_, n) => rawReceiver(behaviours[n % behaviours.length] as (socket: Socket) => void)),
  )
  closers.push(...hostile.map(receiver => receiver.close))
  const healthy = createServer((incoming, response) => incoming.resume().on('end', () => response.end('ok'))).listen(
    0,
    '127.0.0.1',
  )
  closers.push(() => (healthy.close(), healthy.closeAllConnections()))
  await once(healthy, 'listening')
  const healthyUrl = `http://127.0.0.1:${(healthy.address() as AddressInfo).port}/`

  const healthyRound = async (rounds: number) => {
    const latencies: number[] = []
    for (let n = 0; n < rounds; n++) {
      const answer = await outbound.post({ ...request, url: healthyUrl })
      expect(answer.ok).toBe(true)
      latencies.push(answer.latencyMs)
    }
    return latencies
  }
  await healthyRound(200)
  globalThis.gc?.()
  const before = process.memoryUsage().rss

  let running = true
  const healthyAll = (async () => {
    const all: number[] = []
    while (running) all.push(...(await healthyRound(10)))
    return all
  })()
  const tookMs = await Promise.all(
    hostile.map(async ({ url }) => {
      const startedAt = performance.now()
      await outbound.post({ ...request, url })
      return performance.now() - startedAt
    }),
  )
  const grownBy = process.memoryUsage().rss - before
  running = false
  const latencies = await healthyAll

  expect(Math.max(...tookMs)).toBeLessThan(timeoutMs + 500)
  expect(grownBy).toBeLessThan(50 * 1_048_576)
  expect(latencies.length).toBeGreaterThan(200)
  // Sender and 501 receivers share one thread here, and that thread its core with other tests.
  expect(quantile(latencies, 0.99)).toBeLessThan(250)
  await expect.poll(() => hostile.filter(receiver => receiver.open() > 0).length, { timeout: 5000 }).toBe(0)
}, 30_000)

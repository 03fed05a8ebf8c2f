import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createTargetPolicy, parseRanges } from '../../src/net/address-guard.ts'
import { createOutbound } from '../../src/net/outbound.ts'
import { ownMs } from '../harness/own-time.ts'

const timeoutMs = 3000
const request = { headers: { 'content-type': 'application/json' }, body: Buffer.alloc(1000, 'a') }
const policy = createTargetPolicy({
  clock: systemClock,
  requireHttps: false,
  allowedRanges: parseRanges(['127.0.0.0/8']),
})
const outbound = createOutbound(policy, { clock: systemClock, timeoutMs })
const herds: ChildProcess[] = []
afterAll(async () => {
  await outbound.close()
  for (const herd of herds) herd.disconnect()
})

async function startHerd(...options: string[]): Promise<string[]> {
  const herd = fork(new URL('../harness/herd.mjs', import.meta.url), options)
  herds.push(herd)
  const [ports] = (await once(herd, 'message')) as [number[]]
  return ports.map(port => `http://127.0.0.1:${port}/`)
}

async function latenciesOf(url: string, posts: number): Promise<number[]> {
  const latencies: number[] = []
  for (let n = 0; n < posts; n++) {
    const answer = await outbound.post({ ...request, url })
    expect(answer.ok).toBe(true)
    latencies.push(answer.latencyMs)
  }
  return latencies
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = ownMs()
  await work()
  return ownMs() - startedAt
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] as number
}

test('500 hostile receivers at once: each ends in time, memory stays, and a healthy receiver notices nothing', async () => {
  const hostile = await startHerd('hostile', '500')
  const [healthy = ''] = await startHerd('healthy')
  await latenciesOf(healthy, 100)
  const calm = await latenciesOf(healthy, 100)
  // What is loaded and laid out for good with the first of them is not what 500 of them hold.
  await Promise.all(hostile.slice(0, 100).map(url => outbound.post({ ...request, url })))
  const before = process.memoryUsage().rss

  let running = true
  const measuring = (async () => {
    const latencies: number[] = []
    while (running) latencies.push(...(await latenciesOf(healthy, 10)))
    return latencies
  })()
  const posts: Promise<number>[] = []
  for (const [n, url] of hostile.entries()) {
    posts.push(timed(() => outbound.post({ ...request, url })))
    // As a dispatcher does, other work gets its turn between starts; all are in flight long before the first deadline.
    if (n % 10 === 9) await yieldToEvents()
  }
  const tookMs = await Promise.all(posts)
  const grownBy = process.memoryUsage().rss - before
  running = false
  const latencies = await measuring

  // The slack is for the core, which is shared with other tests.
  expect(Math.max(...tookMs)).toBeLessThan(timeoutMs + 1500)
  expect(grownBy).toBeLessThan(50 * 1_048_576)
  expect(latencies.length).toBeGreaterThan(50)
  expect(quantile(latencies, 0.5)).toBeLessThan(50 + 3 * quantile(calm, 0.5))
})

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { movableClock } from '../harness/clocks.ts'
import { until } from '../harness/until.ts'
import { createTargetPolicy, parseRanges } from '../../src/net/address-guard.ts'
import { createOutbound } from '../../src/net/outbound.ts'

const request = { headers: { 'content-type': 'application/json' }, body: Buffer.alloc(1000, 'a') }
const policy = createTargetPolicy({
  clock: systemClock,
  requireHttps: false,
  allowedRanges: parseRanges(['127.0.0.0/8']),
})
const TIMEOUT_MS = 3_000
/** The deadlines of hostile receivers pass on request. */
const clock = movableClock()
const outbound = createOutbound(policy, { clock, timeoutMs: TIMEOUT_MS })
const patient = createOutbound(policy, { clock: systemClock, timeoutMs: 3_600_000 })
const herds: ChildProcess[] = []
afterAll(async () => {
  await outbound.close()
  await patient.close()
  for (const herd of herds) herd.disconnect()
})

async function startHerd(...options: string[]): Promise<string[]> {
  const herd = fork(new URL('../harness/herd.mjs', import.meta.url), options)
  herds.push(herd)
  const [ports] = (await once(herd, 'message')) as [number[]]
  return ports.map(port => `http://127.0.0.1:${port}/`)
}

const HEALTHY_ANSWERS = 20
const isAnswered = async (url: string): Promise<boolean> => (await patient.post({ ...request, url })).ok

/** Lets time pass until all requests have ended. A request that starts late counts its time from its own start. */
async function deadlinesPass(requests: Promise<unknown>): Promise<void> {
  let hasEnded = false
  void requests.then(() => (hasEnded = true))
  await until(() => {
    clock.pass(TIMEOUT_MS / 10)
    return hasEnded
  })
}

test('500 hostile receivers at once each end by their deadline, memory stays constant, and a healthy receiver is served meanwhile', async () => {
  const hostile = await startHerd('hostile', '500')
  const [healthy = ''] = await startHerd('healthy')
  expect(await isAnswered(healthy)).toBe(true)
  // Memory that the first of them allocates permanently does not count as held by 500 of them.
  const first = Promise.all(hostile.slice(0, 100).map(url => outbound.post({ ...request, url })))
  await deadlinesPass(first)
  clock.stand()
  const before = process.memoryUsage().rss

  let ended = 0
  const posts: Promise<unknown>[] = []
  for (const [n, url] of hostile.entries()) {
    posts.push(outbound.post({ ...request, url }).finally(() => ended++))
    // As in a dispatcher, other work runs between starts.
    if (n % 10 === 9) await yieldToEvents()
  }
  for (let n = 0; n < HEALTHY_ANSWERS; n++) expect(await isAnswered(healthy)).toBe(true)
  expect(ended).toBeLessThan(hostile.length)
  await deadlinesPass(Promise.all(posts))
  expect(ended).toBe(hostile.length)
  expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1_048_576)
})

import { expect, it } from 'vitest'
import type { Clock } from './clock.ts'
import { makeLog } from '../observability/log.ts'
import { onBeat, RepeatingTask } from './repeating-task.ts'

/** Records the requested waits, and ends each when the test says so. */
function heldClock() {
  const waits: number[] = []
  let wake = (): void => {}
  const clock: Clock = {
    now: () => new Date(0),
    monotonicMs: () => 0,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        waits.push(ms)
        wake = resolve
        signal?.addEventListener('abort', () => resolve(), { once: true })
      }),
  }
  return { clock, waits, pass: () => wake() }
}

const settled = () => new Promise<void>(resolve => void setImmediate(resolve))
const log = makeLog('silent')

it('waits as long as the work returns, or until runSoon() is called', async () => {
  const { clock, waits, pass } = heldClock()
  let done = 0
  const end = new AbortController()
  const repeating = new RepeatingTask({ clock, log }, 'work', async () => ++done * 10)
  const running = repeating.run(end.signal)
  expect(done).toBe(1)
  await settled()
  pass()
  await settled()
  repeating.runSoon()
  await settled()
  expect({ done, waits }).toEqual({ done: 3, waits: [10, 20, 30] })
  end.abort()
  await running
  expect(done).toBe(3)
})

it('starts after the given delay, and retries a failure after half a second', async () => {
  const { clock, waits, pass } = heldClock()
  const end = new AbortController()
  const repeating = new RepeatingTask({ clock, log }, 'work', async () => Promise.reject(new Error('no')))
  const running = repeating.run(end.signal, 7)
  await settled()
  pass()
  await settled()
  expect(waits).toEqual([7, 500])
  end.abort()
  await running
})

it('a call of runSoon() during the work causes another run right after', async () => {
  const { clock } = heldClock()
  const end = new AbortController()
  let done = 0
  const repeating = new RepeatingTask({ clock: { ...clock, sleep: async () => {} }, log }, 'work', async () => {
    if (++done === 3) end.abort()
    repeating.runSoon()
    return 1_000
  })
  await repeating.run(end.signal)
  expect(done).toBe(3)
})

it.each([
  ['two seconds at an even one', 2_000, 4_003, 6_000],
  ['two seconds at an even one, also if the work has taken some of the wait', 1_960, 4_043, 6_000],
  ['two seconds not later than that', 2_000, 5_700, 6_000],
  ['five seconds at a multiple of five', 5_000, 5_001, 10_000],
  ['other waits at the nearest half of a second', 1_300, 4_003, 5_500],
  ['short waits as they are', 250, 4_003, 4_253],
  ['long waits as they are', 60_000, 4_003, 64_003],
])('a wait ends at a beat: %s', (_, waitMs, nowMs, endMs) => {
  expect(nowMs + onBeat(waitMs, nowMs)).toBe(endMs)
})

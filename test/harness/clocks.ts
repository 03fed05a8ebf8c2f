import { type Clock, systemClock } from '../../src/runtime/clock.ts'
import { Deferred } from '../../src/runtime/deferred.ts'

/** A clock that skips every wait until it is switched to the system's, so that codes expire quickly. */
export function hurriedClock(): Clock & { calmDown(): void } {
  let isCalm = false
  let skippedMs = 0
  return {
    now: () => new Date(Date.now() + skippedMs),
    monotonicMs: () => systemClock.monotonicMs() + skippedMs,
    sleep: async (ms, signal) => {
      if (isCalm) return await systemClock.sleep(ms, signal)
      skippedMs += ms
      await systemClock.sleep(20, signal)
    },
    calmDown: () => {
      isCalm = true
    },
  }
}

/** A clock whose deadlines pass on request. */
export function steppedClock() {
  let aheadMs = 0
  const sleeping = new Set<{ ms: number; wake: () => void }>()
  return {
    ...systemClock,
    now: () => new Date(systemClock.now().getTime() + aheadMs),
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
    sleep: async (ms: number, signal?: AbortSignal): Promise<void> => {
      if (ms < 60_000) return await systemClock.sleep(ms, signal)
      const woken = new Deferred<void>()
      const sleeper = { ms, wake: () => woken.resolve() }
      if (signal?.aborted === true) return
      sleeping.add(sleeper)
      signal?.addEventListener('abort', sleeper.wake, { once: true })
      await woken.promise
      sleeping.delete(sleeper)
    },
    /** Lets time pass for everything that measures it. */
    pass: (ms: number) => void (aheadMs += ms),
    /** Wakes everything that sleeps exactly this long. */
    wake: (ms: number) => [...sleeping].filter(each => each.ms === ms).forEach(each => each.wake()),
    sleeps: (ms: number) => [...sleeping].some(each => each.ms === ms),
  }
}

/**
 * The system's clock, which a test moves: `pass` lets time pass at once, and after `stand` no other time passes until
 * `goOn`. A sleeper wakes when its time has come, by whichever of the two.
 */
export function movableClock() {
  let aheadMs = 0
  let stoodAtMs: number | undefined
  const sleepers = new Set<() => void>()
  const systemMs = () => stoodAtMs ?? systemClock.monotonicMs()
  const monotonicMs = () => systemMs() + aheadMs
  const originMs = Date.now() - systemClock.monotonicMs()
  const lookAll = () => [...sleepers].forEach(look => look())
  return {
    now: () => new Date(originMs + monotonicMs()),
    monotonicMs,
    sleep: (ms: number, signal?: AbortSignal): Promise<void> =>
      new Promise(resolve => {
        const endsAtMs = monotonicMs() + ms
        let timer: NodeJS.Timeout | undefined
        const wake = () => {
          clearTimeout(timer)
          sleepers.delete(look)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        const look = () => {
          clearTimeout(timer)
          const leftMs = endsAtMs - monotonicMs()
          if (leftMs <= 0) wake()
          else if (stoodAtMs === undefined) timer = setTimeout(look, Math.min(Math.ceil(leftMs), 2 ** 31 - 1))
        }
        sleepers.add(look)
        signal?.addEventListener('abort', wake)
        if (signal?.aborted === true) wake()
        // A wait of zero still yields to other tasks.
        else timer = setTimeout(look, 0)
      }),
    pass: (ms: number) => {
      aheadMs += ms
      lookAll()
    },
    stand: () => {
      stoodAtMs ??= systemClock.monotonicMs()
      lookAll()
    },
    goOn: () => {
      if (stoodAtMs !== undefined) aheadMs -= systemClock.monotonicMs() - stoodAtMs
      stoodAtMs = undefined
      lookAll()
    },
  }
}

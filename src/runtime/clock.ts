import { setTimeout as wait } from 'node:timers/promises'

export interface Clock {
  now(): Date
  /** A time that only ever runs forward; its zero means nothing. */
  monotonicMs(): number
  /** Resolves after the time, or when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    await wait(ms, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      if (!signal?.aborted) throw error
    })
  },
}

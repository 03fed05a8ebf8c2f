/** When this thread started, in milliseconds after its process. */
const STARTED_MS = process.uptime() * 1_000 - performance.now()

/** The part of an `AbortSignal` that a wait needs. */
export interface EndSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { once: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export interface Clock {
  now(): Date
  /** A time that only ever runs forward; its zero means nothing. All threads of a process read the same time. */
  monotonicMs(): number
  /** Resolves after the time, or when the signal aborts. */
  sleep(ms: number, signal?: EndSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => STARTED_MS + performance.now(),
  // Not that of `timers/promises`, which makes an error with a stack trace for each wait that is ended early.
  sleep: (ms, signal) =>
    new Promise(resolve => {
      if (signal?.aborted) return resolve()
      const end = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal?.addEventListener('abort', end, { once: true })
    }),
}

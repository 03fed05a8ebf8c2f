export interface Clock {
  now(): Date
  /** Only ever increases; its zero has no meaning. */
  monotonicMs(): number
  /** Resolves after the time, or immediately when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

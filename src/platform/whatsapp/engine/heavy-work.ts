import type { Clock } from '../../../runtime/clock.ts'

/** The time that heavy work may take per event-loop iteration, and the most tasks that begin in one. */
const BUDGET_MS = 20
const MAX_TASKS = 16

/**
 * Schedules the heavy work of all numbers of a thread. The library decrypts and encrypts without waiting for I/O, so a
 * backlog would run in one event-loop iteration, and the leases of all numbers would expire meanwhile. Here an
 * iteration ends after its budget, and the remaining tasks wait for the next.
 */
export class HeavyWork {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #waiting: Array<() => void> = []
  #isScheduled = false
  #endsAtMs = 0

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** Resolves when the caller's task may begin. */
  mayBegin(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve)
      if (this.#isScheduled) return
      this.#isScheduled = true
      setImmediate(this.#round)
    })
  }

  /**
   * Each setImmediate callback runs in the next iteration, and the promise jobs of one task run before the next
   * callback.
   */
  readonly #round = (): void => {
    this.#endsAtMs = this.#clock.monotonicMs() + BUDGET_MS
    this.#isScheduled = this.#waiting.length > 0
    if (!this.#isScheduled) return
    setImmediate(this.#round)
    for (let i = Math.min(this.#waiting.length, MAX_TASKS); i > 0; i--) setImmediate(this.#begin)
  }

  readonly #begin = (): void => {
    if (this.#clock.monotonicMs() < this.#endsAtMs) this.#waiting.shift()?.()
  }
}

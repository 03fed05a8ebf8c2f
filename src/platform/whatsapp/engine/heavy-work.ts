import type { Clock } from '../../../runtime/clock.ts'

/** How long heavy work may hold up a round of the event loop, and how many parts of it are begun at most. */
const BUDGET_MS = 20
const PARTS = 16

/**
 * The heavy work of all numbers of a thread. The library decrypts and encrypts without ever waiting for the outside, so
 * a backlog would be done in one round of the event loop, and the leases of all numbers would run out meanwhile. Here a
 * round ends after its budget; who waits comes in the next.
 */
export class HeavyWork {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #waiting: Array<() => void> = []
  #goesOn = false
  #endsAtMs = 0

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** Resolves when it may begin. */
  mayBegin(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve)
      if (this.#goesOn) return
      this.#goesOn = true
      setImmediate(this.#round)
    })
  }

  /** What is asked for with setImmediate here happens in the next round, one after the other with its work in between. */
  readonly #round = (): void => {
    this.#endsAtMs = this.#clock.monotonicMs() + BUDGET_MS
    this.#goesOn = this.#waiting.length > 0
    if (!this.#goesOn) return
    setImmediate(this.#round)
    for (let i = Math.min(this.#waiting.length, PARTS); i > 0; i--) setImmediate(this.#begin)
  }

  readonly #begin = (): void => {
    if (this.#clock.monotonicMs() < this.#endsAtMs) this.#waiting.shift()?.()
  }
}

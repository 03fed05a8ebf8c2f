import { type Clock, systemClock } from '../runtime/clock.ts'
import { StoreUnavailable } from './transaction.ts'

const CHECK_EVERY_MS = 200
/** A check that runs later than this shows that the process itself is busy: it proves nothing about the database. */
const LATE_MS = 100
/** Checks without any response after which the database is probed, and after which it counts as stalled. */
const PROBE_AFTER = 2
const STALLED_AFTER = 4

/**
 * Detects within a second that the database does not respond. It counts as stalled if no connection had a response, and a
 * probe that needs no lock had none either: one slow transaction proves nothing.
 */
export class StallDetector {
  readonly #probe: () => Promise<unknown>
  readonly #listeners = new Set<() => void>()
  #responses = 0
  #seen = 0
  #quietChecks = 0
  #underWay = 0
  #isProbing = false
  #isOver = false
  #timer: NodeJS.Timeout | undefined
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #checkAtMs = 0

  /** `probe` makes a small query with a timeout. */
  constructor(probe: () => Promise<unknown>, clock: Pick<Clock, 'monotonicMs'> = systemClock) {
    this.#probe = probe
    this.#clock = clock
  }

  /** The database has responded. */
  responded(): void {
    this.#responses++
  }

  isStalled(): boolean {
    return this.#quietChecks >= STALLED_AFTER && this.#responses === this.#seen
  }

  /** Calls back each time that it stalls, until the returned function is called. */
  onStall(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Checks the database while the work is under way. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay++
    this.#watch()
    try {
      return await work()
    } finally {
      this.#underWay--
    }
  }

  /** The result of the work; rejects when the database stalls. Only for work that may be repeated. */
  unlessStalled<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const stop = this.onStall(() => reject(stalled()))
      work.then(resolve, reject).finally(stop)
    })
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #watch(): void {
    if (this.#isOver || this.#timer !== undefined) return
    this.#checkAtMs = this.#clock.monotonicMs() + CHECK_EVERY_MS
    this.#timer = setTimeout(() => this.#check(), CHECK_EVERY_MS).unref()
  }

  #check(): void {
    this.#timer = undefined
    const isLate = this.#clock.monotonicMs() > this.#checkAtMs + LATE_MS
    if (this.#responses !== this.#seen) this.#quietChecks = 0
    else if (!isLate) this.#quietChecks++
    this.#seen = this.#responses
    if (this.#quietChecks >= PROBE_AFTER) this.#probeOnce()
    if (this.#quietChecks === STALLED_AFTER && !isLate) for (const listener of this.#listeners) listener()
    if (this.#underWay > 0 || this.isStalled()) this.#watch()
    else this.#quietChecks = 0
  }

  #probeOnce(): void {
    if (this.#isProbing) return
    this.#isProbing = true
    this.#probe()
      .catch(() => {})
      .finally(() => (this.#isProbing = false))
  }
}

export const stalled = (): StoreUnavailable => new StoreUnavailable('the database does not answer')

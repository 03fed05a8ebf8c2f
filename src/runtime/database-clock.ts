import type { Clock, EndSignal } from './clock.ts'

/** What a response of the database shows of its clock: it is ahead of our monotonic clock by at least this much. */
export interface MeasuredTime {
  offsetMs: number
  /** How much more it may be ahead: the duration of the call. */
  widthMs: number
  atMs: number
}

/** Clocks that differ by more than this were set, and did not drift. */
const DRIFT = 0.001

/** If a more precise response sets the time back by less than this, the clock stands still until the time catches up. */
const MAX_STANDSTILL_MS = 1_000

/** Beyond this the operator is warned: certificates, signatures and logs use the machine's own clock. */
export const MAX_SKEW_MS = 2_000

/**
 * Chooses one of two responses: the more precise one, where precision decreases with age. If they contradict each
 * other, another machine has become the database, or a clock was set: then it chooses the newer one.
 */
export function chooseTime(known: MeasuredTime | undefined, measured: MeasuredTime): MeasuredTime {
  if (known === undefined) return measured
  const driftMs = (measured.atMs - known.atMs) * DRIFT
  const doubtMs = known.widthMs + driftMs
  const agree =
    measured.offsetMs <= known.offsetMs + doubtMs && known.offsetMs - driftMs <= measured.offsetMs + measured.widthMs
  return agree && doubtMs < measured.widthMs ? known : measured
}

/**
 * The database's time, for everything that is compared with times in the database: nothing happens too early, even if this
 * machine's clock is wrong. It is never ahead of the database. Without a database that has its own clock, it is this
 * machine's time.
 */
export class DatabaseClock implements Clock {
  readonly #own: Clock
  #known: MeasuredTime | undefined
  #latestMs = 0

  constructor(own: Clock) {
    this.#own = own
  }

  now(): Date {
    if (this.#known === undefined) return this.#own.now()
    const ms = Math.floor(this.#own.monotonicMs() + this.#known.offsetMs)
    const isSetBack = ms < this.#latestMs && this.#latestMs - ms < MAX_STANDSTILL_MS
    if (!isSetBack) this.#latestMs = ms
    return new Date(this.#latestMs)
  }

  monotonicMs(): number {
    return this.#own.monotonicMs()
  }

  sleep(ms: number, signal?: EndSignal): Promise<void> {
    return this.#own.sleep(ms, signal)
  }

  /** Measures the database's clock: call this before a query, and the returned function with the time in the response. */
  startMeasurement(): (databaseMs: number) => void {
    const startedMs = this.#own.monotonicMs()
    return databaseMs => {
      const atMs = this.#own.monotonicMs()
      this.#known = chooseTime(this.#known, { offsetMs: databaseMs - atMs, widthMs: atMs - startedMs, atMs })
    }
  }

  /** How far this machine's clock is ahead of the database's; negative if it is behind. */
  aheadMs(): number {
    return this.#own.now().getTime() - this.now().getTime()
  }
}

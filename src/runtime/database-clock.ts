import type { Clock } from './clock.ts'

/** What a response of the database shows of its clock: it is ahead of our monotonic clock by at least this much. */
export interface MeasuredTime {
  offsetMs: number
  /** How much more it may be ahead: the duration of the call. */
  widthMs: number
  atMs: number
}

/** Clocks that differ by more than this were set, and did not drift. */
const DRIFT = 0.001

/** A more precise response may set the time back by less than this: the clock then stands still until it is reached. */
const STANDS_STILL_MS = 1_000

/** Beyond this the operator is warned: certificates, signatures and logs use the machine's own clock. */
export const MAX_SKEW_MS = 2_000

/**
 * Chooses one of two responses: the more precise one, where precision decreases with age. Where they contradict each
 * other, another machine has become the database, or a clock was set: then the newer one.
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
 * The database's time, for everything that is compared with times in the database: so nothing is early, whatever this
 * machine's clock shows. Without a database that has its own clock, the machine's time. Never ahead of the database.
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
    const isSetBack = ms < this.#latestMs && this.#latestMs - ms < STANDS_STILL_MS
    if (!isSetBack) this.#latestMs = ms
    return new Date(this.#latestMs)
  }

  monotonicMs(): number {
    return this.#own.monotonicMs()
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#own.sleep(ms, signal)
  }

  /** Call it before a query, and the returned function with the time in the response. */
  asking(): (databaseMs: number) => void {
    const askedMs = this.#own.monotonicMs()
    return databaseMs => {
      const atMs = this.#own.monotonicMs()
      this.#known = chooseTime(this.#known, { offsetMs: databaseMs - atMs, widthMs: atMs - askedMs, atMs })
    }
  }

  /** How far this machine's clock is ahead of the database's; negative where it is behind. */
  aheadMs(): number {
    return this.#own.now().getTime() - this.now().getTime()
  }
}

import type { Clock } from './clock.ts'

/** What an answer of the database told of its clock: it is ahead of our monotonic one by at least so much. */
export interface HeardTime {
  offsetMs: number
  /** How much more it may be: as long as the answer took. */
  widthMs: number
  atMs: number
}

/** Clocks that run apart by more than this are set, not drifting. */
const DRIFT = 0.001

/** An answer that leaves less doubt may set the time back by less than this: it stands still until it is reached. */
const STANDS_STILL_MS = 1_000

/** Beyond this somebody has to be told: certificates, signatures and logs go by the machine's own clock. */
export const MAX_SKEW_MS = 2_000

/**
 * Which of two answers is believed: the one that leaves less doubt, where doubt grows with age. Where they contradict
 * each other, another machine has become the database, or a clock was set: the newer one.
 */
export function believed(known: HeardTime | undefined, heard: HeardTime): HeardTime {
  if (known === undefined) return heard
  const driftMs = (heard.atMs - known.atMs) * DRIFT
  const doubtMs = known.widthMs + driftMs
  const agree = heard.offsetMs <= known.offsetMs + doubtMs && known.offsetMs - driftMs <= heard.offsetMs + heard.widthMs
  return agree && doubtMs < heard.widthMs ? known : heard
}

/**
 * The time as the database has it, for everything that is compared with what is in it: whatever this machine's own
 * clock says, nothing is early. Without a database that has a clock of its own, the machine's. Never ahead of it.
 */
export class DatabaseClock implements Clock {
  readonly #own: Clock
  #known: HeardTime | undefined
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

  /** The database is being asked: whoever has its answer says what time it was there. */
  asking(): (databaseMs: number) => void {
    const askedMs = this.#own.monotonicMs()
    return databaseMs => {
      const atMs = this.#own.monotonicMs()
      this.#known = believed(this.#known, { offsetMs: databaseMs - atMs, widthMs: atMs - askedMs, atMs })
    }
  }

  /** How far this machine's own clock is ahead of the database's; negative where it is behind. */
  aheadMs(): number {
    return this.#own.now().getTime() - this.now().getTime()
  }
}

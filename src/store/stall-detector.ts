import { type Clock, systemClock } from '../runtime/clock.ts'
import { StoreUnavailable } from './transaction.ts'

const LOOK_EVERY_MS = 200
/** A look that comes later than this says that the process itself has no time; nothing is known of the database then. */
const LATE_MS = 100
/** Looks without any answer after which the database is asked something small, and after which it counts as silent. */
const ASK_AFTER = 2
const SILENT_AFTER = 4

/**
 * Whether the database answers, within a second. It counts as silent where nothing was heard of it on any connection,
 * and where it leaves a question unanswered that needs no lock and no time: one unit that takes long says nothing.
 */
export class StallDetector {
  readonly #ask: () => Promise<unknown>
  readonly #told = new Set<() => void>()
  #answers = 0
  #seen = 0
  #quietLooks = 0
  #underWay = 0
  #isAsking = false
  #isOver = false
  #timer: NodeJS.Timeout | undefined
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #lookAtMs = 0

  /** `ask` asks something small, and gives up by itself. */
  constructor(ask: () => Promise<unknown>, clock: Pick<Clock, 'monotonicMs'> = systemClock) {
    this.#ask = ask
    this.#clock = clock
  }

  /** The database has answered something. */
  heard(): void {
    this.#answers++
  }

  isSilent(): boolean {
    return this.#quietLooks >= SILENT_AFTER && this.#answers === this.#seen
  }

  /** Calls back each time that it falls silent, until the returned function is called. */
  onSilent(told: () => void): () => void {
    this.#told.add(told)
    return () => this.#told.delete(told)
  }

  /** Looks whether the database answers while the work is under way. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay++
    this.#watch()
    try {
      return await work()
    } finally {
      this.#underWay--
    }
  }

  /** What comes of the work, unless the database falls silent meanwhile. Only for what may be done twice. */
  unlessSilent<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const stop = this.onSilent(() => reject(silent()))
      work.then(resolve, reject).finally(stop)
    })
  }

  /** Looks no more. */
  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #watch(): void {
    if (this.#isOver || this.#timer !== undefined) return
    this.#lookAtMs = this.#clock.monotonicMs() + LOOK_EVERY_MS
    this.#timer = setTimeout(() => this.#look(), LOOK_EVERY_MS).unref()
  }

  #look(): void {
    this.#timer = undefined
    const isLate = this.#clock.monotonicMs() > this.#lookAtMs + LATE_MS
    if (this.#answers !== this.#seen) this.#quietLooks = 0
    else if (!isLate) this.#quietLooks++
    this.#seen = this.#answers
    if (this.#quietLooks >= ASK_AFTER) this.#askOnce()
    if (this.#quietLooks === SILENT_AFTER && !isLate) for (const told of this.#told) told()
    if (this.#underWay > 0 || this.isSilent()) this.#watch()
    else this.#quietLooks = 0
  }

  #askOnce(): void {
    if (this.#isAsking) return
    this.#isAsking = true
    this.#ask()
      .catch(() => {})
      .finally(() => (this.#isAsking = false))
  }
}

export const silent = (): StoreUnavailable => new StoreUnavailable('the database does not answer')

import type { BinaryNode } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'

/** As many as the platform's own client asks for, and how long after the first of a batch it asks for the next. */
const BATCH = 200
const PAUSE_MS = 100
const QUIET_MS = 5_000
/** As many as the library asks for. */
const FIRST_BATCH = 100
/** With as many messages to handle nothing more is asked for. */
const MOST_WAITING = 400

/**
 * What waited while the number was away comes in batches, and no more of it than was asked for. The library asks once,
 * for 100: this asks for the rest, until the platform says that there is no more.
 */
export class OfflineBatches {
  readonly #clock: Pick<Clock, 'sleep'>
  readonly #ask: (stanza: BinaryNode) => Promise<void>
  readonly #ending = new AbortController()
  readonly #waiting: () => number
  #came = 0
  /** The first stanza of the batch that was asked for last. */
  #next = Number.POSITIVE_INFINITY
  #asked = FIRST_BATCH

  /** `waiting` says how many messages are still to be handled. */
  constructor(clock: Pick<Clock, 'sleep'>, ask: (stanza: BinaryNode) => Promise<void>, waiting: () => number) {
    this.#clock = clock
    this.#ask = ask
    this.#waiting = waiting
  }

  /** The platform has told that something waits, and the library asks for the first of it. */
  begin(): void {
    this.#next = this.#came + 1
  }

  /** Something of what waited has come. */
  came(): void {
    this.#came += 1
    if (this.#came < this.#next || this.#ending.signal.aborted) return
    this.#next += this.#asked
    this.#asked = BATCH
    void this.#askForMore().catch(() => {})
  }

  /** There is no more, or nobody to ask. */
  end(): void {
    this.#ending.abort()
  }

  async #askForMore(): Promise<void> {
    do await this.#clock.sleep(PAUSE_MS, this.#ending.signal)
    while (this.#waiting() >= MOST_WAITING && !this.#ending.signal.aborted)
    if (this.#ending.signal.aborted) return
    const before = this.#came
    await this.#ask({ tag: 'ib', attrs: {}, content: [{ tag: 'offline_batch', attrs: { count: String(BATCH) } }] })
    await this.#clock.sleep(QUIET_MS, this.#ending.signal)
    if (this.#came >= this.#next || this.#came === before || this.#ending.signal.aborted) return
    // A batch may be smaller than it was asked for.
    this.#next = this.#came + 1
    await this.#askForMore()
  }
}

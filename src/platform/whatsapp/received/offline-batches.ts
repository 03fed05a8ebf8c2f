import type { BinaryNode } from 'baileys'
import type { Clock } from '../../../clock.ts'

/** As many as the platform's own client asks for, and how long after the first of a batch it asks for the next. */
const BATCH = '200'
const PAUSE_MS = 100

/**
 * What waited while the number was away comes in batches, and no more of it than was asked for. The library asks once,
 * for 100: this asks for the rest, until the platform says that there is no more.
 */
export class OfflineBatches {
  readonly #clock: Pick<Clock, 'sleep'>
  readonly #ask: (stanza: BinaryNode) => Promise<void>
  readonly #ending = new AbortController()
  #isAsked = false

  constructor(clock: Pick<Clock, 'sleep'>, ask: (stanza: BinaryNode) => Promise<void>) {
    this.#clock = clock
    this.#ask = ask
  }

  /** The platform has told that something waits, and the library asks for the first of it. */
  begin(): void {
    this.#isAsked = true
  }

  /** Something of what waited has come. */
  came(): void {
    if (!this.#isAsked || this.#ending.signal.aborted) return
    this.#isAsked = false
    void this.#askForMore().catch(() => {})
  }

  /** There is no more, or nobody to ask. */
  end(): void {
    this.#ending.abort()
  }

  async #askForMore(): Promise<void> {
    await this.#clock.sleep(PAUSE_MS, this.#ending.signal)
    if (this.#ending.signal.aborted) return
    this.#isAsked = true
    await this.#ask({ tag: 'ib', attrs: {}, content: [{ tag: 'offline_batch', attrs: { count: BATCH } }] })
  }
}

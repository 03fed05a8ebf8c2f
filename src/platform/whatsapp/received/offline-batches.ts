import type { BinaryNode } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'

/**
 * The batch size of the platform's own client, and its delay between the first stanza of a batch and the next request.
 */
const BATCH = 200
const PAUSE_MS = 100
const QUIET_MS = 5_000
/** The library requests this many. */
const FIRST_BATCH = 100
/** No batch is requested while this many messages are queued. */
const MAX_WAITING = 400

/**
 * The platform sends offline messages in batches, and only as many as were requested. The library requests 100 once;
 * this class requests the rest until the platform reports the end.
 */
export class OfflineBatches {
  readonly #clock: Pick<Clock, 'sleep'>
  readonly #request: (stanza: BinaryNode) => Promise<void>
  readonly #ending = new AbortController()
  readonly #waiting: () => number
  #arrived = 0
  /** The number of the first stanza of the batch that was requested last. */
  #next = Number.POSITIVE_INFINITY
  #requested = FIRST_BATCH

  /** `waiting` returns how many messages are queued. */
  constructor(clock: Pick<Clock, 'sleep'>, request: (stanza: BinaryNode) => Promise<void>, waiting: () => number) {
    this.#clock = clock
    this.#request = request
    this.#waiting = waiting
  }

  /** The platform has announced offline messages, and the library requests the first batch. */
  begin(): void {
    this.#next = this.#arrived + 1
  }

  /** An offline stanza has arrived. */
  arrived(): void {
    this.#arrived += 1
    if (this.#arrived < this.#next || this.#ending.signal.aborted) return
    this.#next += this.#requested
    this.#requested = BATCH
    void this.#requestMore().catch(() => {})
  }

  /** There are no more offline messages, or the link has ended. */
  end(): void {
    this.#ending.abort()
  }

  async #requestMore(): Promise<void> {
    do await this.#clock.sleep(PAUSE_MS, this.#ending.signal)
    while (this.#waiting() >= MAX_WAITING && !this.#ending.signal.aborted)
    if (this.#ending.signal.aborted) return
    const before = this.#arrived
    await this.#request({ tag: 'ib', attrs: {}, content: [{ tag: 'offline_batch', attrs: { count: String(BATCH) } }] })
    await this.#clock.sleep(QUIET_MS, this.#ending.signal)
    if (this.#arrived >= this.#next || this.#arrived === before || this.#ending.signal.aborted) return
    // A batch may be smaller than requested.
    this.#next = this.#arrived + 1
    await this.#requestMore()
  }
}

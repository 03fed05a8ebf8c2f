const IDLE = 0
const WRITTEN = 1
const CLOSING = 2

const [NOT_ASKED, ASKED, COMPACTED, TOO_LARGE] = [0, 1, 2, 3]

/** A few megabytes of the log. An idle gateway writes as much in some minutes, a busy one several times a second. */
const WORTH_A_CHECKPOINT = 256

/** Tells the checkpoint thread that the log has grown. That thread sleeps, without any timer, until then. */
export class CheckpointSignal {
  readonly buffer: SharedArrayBuffer
  readonly #state: Int32Array
  #items = 0

  constructor(buffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer
    this.#state = new Int32Array(buffer)
  }

  /** A commit with this many items. */
  written(items: number): void {
    this.#items += items
    if (this.#items >= WORTH_A_CHECKPOINT) this.#wake()
  }

  /** Asks the thread to rewrite the database without what was deleted. */
  askToCompact(): void {
    Atomics.store(this.#state, 1, ASKED)
    this.#wake()
  }

  /** The outcome of that, once it has one. */
  compacted(): 'compacted' | 'too_large' | undefined {
    const outcome = Atomics.load(this.#state, 1)
    return outcome === COMPACTED ? 'compacted' : outcome === TOO_LARGE ? 'too_large' : undefined
  }

  /** In the thread: whether it was asked to. */
  get isCompactionAsked(): boolean {
    return Atomics.load(this.#state, 1) === ASKED
  }

  endCompaction(outcome: 'compacted' | 'too_large' | 'failed'): void {
    Atomics.store(this.#state, 1, { compacted: COMPACTED, too_large: TOO_LARGE, failed: NOT_ASKED }[outcome])
  }

  close(): void {
    Atomics.store(this.#state, 0, CLOSING)
    Atomics.notify(this.#state, 0)
  }

  #wake(): void {
    this.#items = 0
    if (Atomics.compareExchange(this.#state, 0, IDLE, WRITTEN) === IDLE) Atomics.notify(this.#state, 0)
  }

  /** Blocks this thread until the log has grown, and then for `gatherMs` more. Returns false on closing. */
  waitForWrites(gatherMs: number): boolean {
    Atomics.wait(this.#state, 0, IDLE)
    Atomics.wait(this.#state, 0, WRITTEN, gatherMs)
    return Atomics.compareExchange(this.#state, 0, WRITTEN, IDLE) === WRITTEN
  }
}

const IDLE = 0
const WRITTEN = 1
const CLOSING = 2

const [NOT_ASKED, ASKED, COMPACTED, TOO_LARGE] = [0, 1, 2, 3]

/** Tells the checkpoint thread that the log has grown. That thread sleeps, without any timer, while nothing is written. */
export class CheckpointSignal {
  readonly buffer: SharedArrayBuffer
  readonly #state: Int32Array

  constructor(buffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer
    this.#state = new Int32Array(buffer)
  }

  /** A transaction was committed. */
  written(): void {
    if (Atomics.compareExchange(this.#state, 0, IDLE, WRITTEN) === IDLE) Atomics.notify(this.#state, 0)
  }

  /** Asks the thread to rewrite the database without what was deleted. */
  askToCompact(): void {
    Atomics.store(this.#state, 1, ASKED)
    this.written()
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

  /** Blocks this thread until something was written, and then for `gatherMs` more. Returns false on closing. */
  waitForWrites(gatherMs: number): boolean {
    Atomics.wait(this.#state, 0, IDLE)
    Atomics.wait(this.#state, 0, WRITTEN, gatherMs)
    return Atomics.compareExchange(this.#state, 0, WRITTEN, IDLE) === WRITTEN
  }
}

const IDLE = 0
const WRITTEN = 1
const CLOSING = 2

/** Tells the checkpoint thread that the log has grown. That thread sleeps, without any timer, while nothing is written. */
export class CheckpointSignal {
  readonly buffer: SharedArrayBuffer
  readonly #state: Int32Array

  constructor(buffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer
    this.#state = new Int32Array(buffer)
  }

  /** A transaction was committed. */
  written(): void {
    if (Atomics.compareExchange(this.#state, 0, IDLE, WRITTEN) === IDLE) Atomics.notify(this.#state, 0)
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

/** Counts up from 1. */
export class Sequence {
  #last = 0

  next(): number {
    this.#last += 1
    return this.#last
  }
}

/** Times that never repeat, so that what happens within a millisecond keeps its order. */
export class DistinctTimes {
  #lastMs = 0

  next(nowMs: number): number {
    this.#lastMs = Math.max(nowMs, this.#lastMs + 1)
    return this.#lastMs
  }
}

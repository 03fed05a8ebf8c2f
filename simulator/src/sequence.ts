/** Counts up from 1. */
export class Sequence {
  #last = 0

  next(): number {
    this.#last += 1
    return this.#last
  }
}

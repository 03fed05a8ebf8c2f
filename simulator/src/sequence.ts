/** Numbers that were never given out before. */
export class Sequence {
  #last = 0

  next(): number {
    this.#last += 1
    return this.#last
  }
}

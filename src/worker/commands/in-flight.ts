const MAX_UNACKNOWLEDGED = 16

/** What is under way: bounded until the platform has acknowledged it, and waited for at the end. */
export class InFlight {
  readonly #work = new Set<Promise<void>>()
  #unacknowledged = 0

  get hasRoom(): boolean {
    return this.#unacknowledged < MAX_UNACKNOWLEDGED
  }

  get isEmpty(): boolean {
    return this.#work.size === 0
  }

  /** Work that never rejects. */
  add(work: Promise<void>): void {
    this.#work.add(work)
    void work.then(() => this.#work.delete(work))
  }

  async untilAcknowledged<T>(attempt: Promise<T>): Promise<T> {
    this.#unacknowledged++
    try {
      return await attempt
    } finally {
      this.#unacknowledged--
    }
  }

  async ended(): Promise<void> {
    await Promise.all(this.#work)
  }
}

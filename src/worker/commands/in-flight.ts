const MAX_UNACKNOWLEDGED = 16

/** Commands that the platform has not acknowledged yet: only so many at once. */
export class InFlight {
  #unacknowledged = 0

  get hasRoom(): boolean {
    return this.#unacknowledged < MAX_UNACKNOWLEDGED
  }

  async untilAcknowledged<T>(attempt: Promise<T>): Promise<T> {
    this.#unacknowledged++
    try {
      return await attempt
    } finally {
      this.#unacknowledged--
    }
  }
}

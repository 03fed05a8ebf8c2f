/** Wakes one waiting task. Any number of notifications before it waits again count as one. */
export class WakeSignal {
  #isNotified = false
  #resolve: (() => void) | undefined

  notify(): void {
    this.#isNotified = true
    this.#resolve?.()
  }

  /** Resolves immediately if it was notified since the last wait. */
  async wait(): Promise<void> {
    if (!this.#isNotified) await new Promise<void>(resolve => (this.#resolve = resolve))
    this.#resolve = undefined
    this.#isNotified = false
  }
}

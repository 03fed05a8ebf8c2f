/** Rung by whoever has brought work, heard by the one who does it. However often it is rung meanwhile, it is heard once. */
export class WakeSignal {
  #isRung = false
  #hear: (() => void) | undefined

  ring(): void {
    this.#isRung = true
    this.#hear?.()
  }

  /** Resolves at once where it was rung since it was heard last. */
  async heard(): Promise<void> {
    if (!this.#isRung) await new Promise<void>(resolve => (this.#hear = resolve))
    this.#hear = undefined
    this.#isRung = false
  }
}

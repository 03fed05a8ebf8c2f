import { setMaxListeners } from 'node:events'
import type { Clock } from '../runtime/clock.ts'
import type { HeldLease } from './hold.ts'

const LOOK_MS = 10

/** Work that is under way for a number: at the end it may finish for a while, then it is cut off. */
export class TaskGroup {
  readonly #clock: Clock
  readonly #hold: HeldLease
  readonly #work = new Set<Promise<void>>()
  readonly #cutOff = new AbortController()

  constructor({ clock }: { clock: Clock }, hold: HeldLease) {
    this.#clock = clock
    this.#hold = hold
    // All of the work listens to it.
    setMaxListeners(0, this.#cutOff.signal)
  }

  /** Aborts when the work is cut off. */
  get signal(): AbortSignal {
    return this.#cutOff.signal
  }

  /** Work that never rejects. */
  add(work: Promise<void>): void {
    this.#work.add(work)
    void work.then(() => this.#work.delete(work))
  }

  /** Waits so long for it, unless the hold is over; what is left is cut off, for whoever comes next. */
  async finish(graceMs: number): Promise<void> {
    const untilMs = this.#clock.monotonicMs() + graceMs
    while (this.#work.size > 0 && this.#clock.monotonicMs() < untilMs && this.#hold.lasts())
      await this.#clock.sleep(LOOK_MS)
    this.#cutOff.abort()
    await Promise.all(this.#work)
  }
}

import type { Clock } from '../../runtime/clock.ts'
import type { NumberState } from '../number-state.ts'

/** The pause of a number between two messages. It starts when a message is really sent. */
export class Pace {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #number: Pick<NumberState, 'paceMs'>
  #nextMs = 0
  #beginningId: string | undefined

  constructor(clock: Pick<Clock, 'monotonicMs'>, number: Pick<NumberState, 'paceMs'>) {
    this.#clock = clock
    this.#number = number
  }

  /** When the next message may begin; never, while one is about to be sent. */
  get nextMs(): number {
    return this.#beginningId === undefined ? this.#nextMs : Number.POSITIVE_INFINITY
  }

  /** A message begins: no other may until it is sent. */
  begin(id: string): void {
    if (this.#number.paceMs > 0) this.#beginningId = id
  }

  /** The message is sent now. Returns whether the next one has to wait. */
  sent(): boolean {
    const pauseMs = this.#number.paceMs
    this.#beginningId = undefined
    if (pauseMs > 0) this.#nextMs = this.#clock.monotonicMs() + pauseMs
    return pauseMs > 0
  }

  /** The message is over: if it was never sent, the next one may begin. */
  release(id: string): void {
    if (this.#beginningId === id) this.#beginningId = undefined
  }
}

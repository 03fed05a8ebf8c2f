import type { Clock } from '../../runtime/clock.ts'
import type { NumberNow } from '../number-now.ts'

/** The pause of a number between two messages. It starts when a message is really sent. */
export class Pace {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #number: Pick<NumberNow, 'paceMs'>
  #nextMs = 0
  #leavingId: string | undefined

  constructor(clock: Pick<Clock, 'monotonicMs'>, number: Pick<NumberNow, 'paceMs'>) {
    this.#clock = clock
    this.#number = number
  }

  /** When the next message may begin; never, while one is about to be sent. */
  get nextMs(): number {
    return this.#leavingId === undefined ? this.#nextMs : Number.POSITIVE_INFINITY
  }

  /** A message begins: no other may until it is sent. */
  begin(id: string): void {
    if (this.#number.paceMs > 0) this.#leavingId = id
  }

  /** The message is sent now. Returns whether the next one has to wait. */
  left(): boolean {
    const pauseMs = this.#number.paceMs
    this.#leavingId = undefined
    if (pauseMs > 0) this.#nextMs = this.#clock.monotonicMs() + pauseMs
    return pauseMs > 0
  }

  /** The message is over: if it was never sent, the next one may begin. */
  release(id: string): void {
    if (this.#leavingId === id) this.#leavingId = undefined
  }
}

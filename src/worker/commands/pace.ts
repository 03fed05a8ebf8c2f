import { drawPauseMs, type Pace as PaceSetting } from '../../domain/pace.ts'
import type { Clock } from '../../runtime/clock.ts'
import { randomFraction } from '../../runtime/random.ts'
import type { NumberState } from '../number-state.ts'

/** The pause of a number between two messages. It starts when a message is really sent. */
export class Pace {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #number: Pick<NumberState, 'pace'>
  #nextMs = 0
  /** The setting that `#nextMs` comes from: a new one begins without a pause. */
  #setting: PaceSetting | null = null
  #pauseMs = 0
  #beginningId: string | undefined
  /** Whether a pause that an earlier host began is known. */
  isResumed = false

  constructor(clock: Pick<Clock, 'monotonicMs'>, number: Pick<NumberState, 'pace'>) {
    this.#clock = clock
    this.#number = number
  }

  /** When the next message may begin; never, while one is about to be sent. */
  get nextMs(): number {
    if (this.#beginningId !== undefined) return Number.POSITIVE_INFINITY
    return this.#setting === this.#number.pace ? this.#nextMs : 0
  }

  /** A message begins: no other may until it is sent. Returns the pause after it. */
  begin(id: string): number {
    const { pace } = this.#number
    if (pace === null) return 0
    this.#pauseMs = drawPauseMs(pace, randomFraction)
    if (this.#pauseMs > 0) this.#beginningId = id
    return this.#pauseMs
  }

  /** The message is sent now. Returns whether the next one has to wait. */
  sent(): boolean {
    const pauseMs = this.#number.pace === null ? 0 : this.#pauseMs
    this.#beginningId = undefined
    if (pauseMs > 0) this.#waitFor(pauseMs)
    return pauseMs > 0
  }

  /** A pause that an earlier host began goes on for this time. */
  resume(ms: number): void {
    this.isResumed = true
    this.#waitFor(ms)
  }

  /** The message is over: if it was never sent, the next one may begin. */
  release(id: string): void {
    if (this.#beginningId === id) this.#beginningId = undefined
  }

  #waitFor(ms: number): void {
    this.#setting = this.#number.pace
    this.#nextMs = this.#clock.monotonicMs() + ms
  }
}

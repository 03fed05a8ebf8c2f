import type { Clock } from '../../runtime/clock.ts'

/** A look that comes later than this says that the process itself had no time. */
const LATE_MS = 500
/** So long after it may clients still be blamed for what they wrote meanwhile. */
const NOTICED_MS = 1_000

/** Whether this process has just been without time of its own: stopped, or held up. */
export class ProcessStalls {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #everyMs: number
  #lookedAtMs: number
  #lateAtMs = -Infinity

  /** `everyMs`: how often it is looked. */
  constructor(clock: Pick<Clock, 'monotonicMs'>, everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
    this.#lookedAtMs = clock.monotonicMs()
  }

  look(): void {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#lookedAtMs > this.#everyMs + LATE_MS) this.#lateAtMs = nowMs
    this.#lookedAtMs = nowMs
  }

  /** Before the next look too, which may be as late. */
  get isJustOver(): boolean {
    const nowMs = this.#clock.monotonicMs()
    return nowMs - this.#lateAtMs < NOTICED_MS || nowMs - this.#lookedAtMs > this.#everyMs + LATE_MS
  }
}

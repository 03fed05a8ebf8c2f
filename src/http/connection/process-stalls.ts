import type { Clock } from '../../runtime/clock.ts'

/** A check that runs later than this shows that the process got no processor time. */
const LATE_MS = 500
/** After a stall the process reads what clients wrote meanwhile; for this long it does not blame them for being late. */
const GRACE_MS = 1_000

/** Whether this process has just been stalled: stopped, or busy for too long. */
export class ProcessStalls {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #everyMs: number
  #checkedAtMs: number
  #stalledAtMs = -Infinity

  /** `everyMs`: how often `check` is called. */
  constructor(clock: Pick<Clock, 'monotonicMs'>, everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
    this.#checkedAtMs = clock.monotonicMs()
  }

  check(): void {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#checkedAtMs > this.#everyMs + LATE_MS) this.#stalledAtMs = nowMs
    this.#checkedAtMs = nowMs
  }

  /** True before the next check as well, which may be just as late. */
  get isJustOver(): boolean {
    const nowMs = this.#clock.monotonicMs()
    return nowMs - this.#stalledAtMs < GRACE_MS || nowMs - this.#checkedAtMs > this.#everyMs + LATE_MS
  }
}

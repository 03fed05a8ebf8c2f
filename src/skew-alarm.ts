import type { Context } from './context.ts'
import { MAX_SKEW_MS } from './store-clock.ts'

const SAY_AGAIN_MS = 60_000

type SkewParts = Pick<Context, 'storeClock' | 'log' | 'metrics'>

/** Tells the operator of a machine whose own clock is not the database's: at once, and while it lasts. */
export class SkewAlarm {
  readonly #parts: SkewParts
  #saidAtMs: number | undefined

  constructor(parts: SkewParts) {
    this.#parts = parts
  }

  /** Answers how far this machine's clock is ahead. */
  look(): number {
    const { storeClock, log, metrics } = this.#parts
    const aheadMs = Math.round(storeClock.aheadMs())
    metrics.clockAhead.set(aheadMs / 1_000)
    const isSkewed = Math.abs(aheadMs) > MAX_SKEW_MS
    const nowMs = storeClock.monotonicMs()
    if (isSkewed && (this.#saidAtMs === undefined || nowMs - this.#saidAtMs >= SAY_AGAIN_MS)) {
      this.#saidAtMs = nowMs
      log.warn({ ahead_ms: aheadMs }, 'clock.skewed')
    }
    if (!isSkewed && this.#saidAtMs !== undefined) {
      this.#saidAtMs = undefined
      log.info({ ahead_ms: aheadMs }, 'clock.right')
    }
    return aheadMs
  }
}

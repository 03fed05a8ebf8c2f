import type { Context } from '../context.ts'
import { MAX_SKEW_MS } from '../runtime/database-clock.ts'

const SAY_AGAIN_MS = 60_000

type SkewDeps = Pick<Context, 'databaseClock' | 'log' | 'metrics'>

/** Tells the operator of a machine whose own clock is not the database's: at once, and while it lasts. */
export class ClockSkewMonitor {
  readonly #deps: SkewDeps
  #saidAtMs: number | undefined

  constructor(deps: SkewDeps) {
    this.#deps = deps
  }

  /** Answers how far this machine's clock is ahead. */
  look(): number {
    const { databaseClock, log, metrics } = this.#deps
    const aheadMs = Math.round(databaseClock.aheadMs())
    metrics.clockAhead.set(aheadMs / 1_000)
    const isSkewed = Math.abs(aheadMs) > MAX_SKEW_MS
    const nowMs = databaseClock.monotonicMs()
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

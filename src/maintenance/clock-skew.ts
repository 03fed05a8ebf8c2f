import type { Context } from '../context.ts'
import { MAX_SKEW_MS } from '../runtime/database-clock.ts'

const LOG_AGAIN_MS = 60_000

type SkewDeps = Pick<Context, 'databaseClock' | 'log' | 'metrics'>

/** Logs when this machine's clock differs from the database's: at once, and again while it lasts. */
export class ClockSkewMonitor {
  readonly #deps: SkewDeps
  #loggedAtMs: number | undefined

  constructor(deps: SkewDeps) {
    this.#deps = deps
  }

  /** Returns how far this machine's clock is ahead. */
  check(): number {
    const { databaseClock, log, metrics } = this.#deps
    const aheadMs = Math.round(databaseClock.aheadMs())
    metrics.clockAhead.set(aheadMs / 1_000)
    const isSkewed = Math.abs(aheadMs) > MAX_SKEW_MS
    const nowMs = databaseClock.monotonicMs()
    if (isSkewed && (this.#loggedAtMs === undefined || nowMs - this.#loggedAtMs >= LOG_AGAIN_MS)) {
      this.#loggedAtMs = nowMs
      log.warn({ ahead_ms: aheadMs }, 'clock.skewed')
    }
    if (!isSkewed && this.#loggedAtMs !== undefined) {
      this.#loggedAtMs = undefined
      log.info({ ahead_ms: aheadMs }, 'clock.skew_resolved')
    }
    return aheadMs
  }
}

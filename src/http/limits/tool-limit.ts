import type { Clock } from '../../runtime/clock.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { TokenBuckets } from '../../runtime/token-buckets.ts'
import { GatewayError, text } from '../../domain/errors.ts'
import { rateOf } from '../../runtime/token-bucket.ts'

/** Uses of the webhook tools by one account: a burst of 30, and one each second after that. */
const RATE = rateOf(1, 30)

/** A test makes the gateway send to a saved address, and a replay makes it count rows: both are tools for people. */
export class ToolLimit {
  readonly #clock: Clock
  readonly buckets = new TokenBuckets(RATE, BOUNDS.trackedCallers)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Throws 429 if an account uses the tools too often. */
  count(accountId: string): void {
    const waitMs = this.buckets.take(accountId, this.#clock.monotonicMs())
    if (waitMs === 0) return
    throw new GatewayError('rate_limited', text.rateLimited, {
      hint: 'an account tests and replays webhooks at most once a second',
      retryAfterMs: waitMs,
    })
  }
}

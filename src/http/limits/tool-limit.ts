import type { Clock } from '../../runtime/clock.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { TokenBuckets } from '../../runtime/token-buckets.ts'
import { GatewayError, text } from '../../domain/errors.ts'
import { rateOf } from '../../runtime/token-bucket.ts'

/** Uses of the webhook tools by one account: so many at once, and after that one each second. */
const RATE = rateOf(1, 30)

/** A test makes the gateway send to whatever address was saved, and a replay makes it count: neither is for machines. */
export class ToolLimit {
  readonly #clock: Clock
  readonly buckets = new TokenBuckets(RATE, BOUNDS.trackedRequesters)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** 429 where an account uses the tools too often. */
  count(accountId: string): void {
    const waitMs = this.buckets.take(accountId, this.#clock.monotonicMs())
    if (waitMs === 0) return
    throw new GatewayError('rate_limited', text.rateLimited, {
      hint: 'an account tests and replays webhooks at most once a second',
      retryAfterMs: waitMs,
    })
  }
}

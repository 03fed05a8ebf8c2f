import type { Clock } from '../../runtime/clock.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { TokenBuckets } from '../../runtime/token-buckets.ts'
import { GatewayError, text } from '../../domain/errors.ts'
import { type Rate, rateOf } from '../../runtime/token-bucket.ts'

/** Somebody who asks: a key, a user, an account. */
export interface Requester {
  id: string
  rate: Rate
}

/** How often keys, users and accounts may ask. */
export class RequestLimits {
  readonly #clock: Clock
  /** No crowd of new ones gives anybody a fresh allowance who goes on asking. */
  readonly buckets = new TokenBuckets(rateOf(1, 1), BOUNDS.trackedRequesters)

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock
  }

  /** Takes one request of each of them, or of none: 429 where one has none left. Asks nobody. */
  count(requesters: readonly Requester[]): void {
    const nowMs = this.#clock.monotonicMs()
    let waitMs = 0
    for (const { id, rate } of requesters) waitMs = Math.max(waitMs, this.buckets.waitMs(id, nowMs, rate))
    if (waitMs > 0) throw new GatewayError('rate_limited', text.rateLimited, { retryAfterMs: waitMs })
    for (const { id, rate } of requesters) this.buckets.take(id, nowMs, rate)
  }
}

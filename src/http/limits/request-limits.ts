import type { Clock } from '../../runtime/clock.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { TokenBuckets } from '../../runtime/token-buckets.ts'
import { GatewayError, text } from '../../domain/errors.ts'
import { type Rate, rateOf } from '../../runtime/token-bucket.ts'
import { limitsOf } from '../../domain/account.ts'
import type { Identity } from '../identity.ts'

/** A caller whose requests are counted: a key, a user or an account. */
export interface Caller {
  id: string
  rate: Rate
}

/** How often keys, users and accounts may send requests. */
export class RequestLimits {
  readonly #clock: Clock
  /** Bounded, but active callers are never evicted for new ones, which would refill their buckets. */
  readonly buckets = new TokenBuckets(rateOf(1, 1), BOUNDS.trackedCallers)

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock
  }

  /** Takes one request from each bucket, or from none: throws 429 if one is empty. */
  count(callers: readonly Caller[]): void {
    const nowMs = this.#clock.monotonicMs()
    let waitMs = 0
    for (const { id, rate } of callers) waitMs = Math.max(waitMs, this.buckets.waitMs(id, nowMs, rate))
    if (waitMs > 0) throw new GatewayError('rate_limited', text.rateLimited, { retryAfterMs: waitMs })
    for (const { id, rate } of callers) this.buckets.take(id, nowMs, rate)
  }
}

/** The bucket of the key, if its requests are limited. */
export function keyCaller({ key, account }: Identity): Caller[] {
  const { requests_per_second: perSecond, requests_burst: burst } = limitsOf(account)
  return key === null || perSecond === null ? [] : [{ id: `key:${key.id}`, rate: rateOf(perSecond, burst) }]
}

/** The bucket that all keys and users of an account share. */
export function accountCaller({ account }: Identity): Caller[] {
  const { account_requests_per_second: perSecond, account_requests_burst: burst } = limitsOf(account)
  return perSecond === null ? [] : [{ id: `account:${account.id}`, rate: rateOf(perSecond, burst) }]
}

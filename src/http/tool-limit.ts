import { GatewayError, text } from '../domain/errors.ts'
import { type Bucket, rateOf, take } from '../domain/rate-limit.ts'

/** Uses of the webhook tools by one account: so many at once, and after that one each second. */
const RATE = rateOf(1, 30)
const MAX_ACCOUNTS = 10_000

export interface ToolLimit {
  /** 429 where an account uses the tools too often. */
  count(accountId: string): void
}

/** A test makes the gateway send to whatever address was saved, and a replay makes it count: neither is for machines. */
export function makeToolLimit(): ToolLimit {
  const buckets = new Map<string, Bucket>()
  return {
    count(accountId) {
      const taken = take(buckets.get(accountId), RATE, Date.now())
      if (buckets.size >= MAX_ACCOUNTS) buckets.clear()
      buckets.set(accountId, taken.bucket)
      if (taken.ok) return
      const most = 'an account tests and replays webhooks at most once a second'
      throw new GatewayError('rate_limited', `${text.rateLimited}: ${most}`, taken.retryAfterMs)
    },
  }
}

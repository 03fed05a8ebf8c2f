import { limitsOf } from '../../domain/account.ts'
import { rateOf } from '../../runtime/token-bucket.ts'
import type { Identity } from '../identity.ts'
import type { Requester } from './request-limits.ts'

/** The key that asks, where its requests are limited. */
export function keyRequester({ key, account }: Identity): Requester[] {
  const { requests_per_second: perSecond, requests_burst: burst } = limitsOf(account)
  return key === null || perSecond === null ? [] : [{ id: `key:${key.id}`, rate: rateOf(perSecond, burst) }]
}

/** All keys and users of an account together. */
export function accountRequester({ account }: Identity): Requester[] {
  const { account_requests_per_second: perSecond, account_requests_burst: burst } = limitsOf(account)
  return perSecond === null ? [] : [{ id: `account:${account.id}`, rate: rateOf(perSecond, burst) }]
}

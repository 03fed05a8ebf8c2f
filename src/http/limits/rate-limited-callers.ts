import { limitsOf } from '../../domain/account.ts'
import { rateOf } from '../../runtime/token-bucket.ts'
import type { Identity } from '../identity.ts'
import type { Caller } from './request-limits.ts'

/** The bucket of the key, where its requests are limited. */
export function keyCaller({ key, account }: Identity): Caller[] {
  const { requests_per_second: perSecond, requests_burst: burst } = limitsOf(account)
  return key === null || perSecond === null ? [] : [{ id: `key:${key.id}`, rate: rateOf(perSecond, burst) }]
}

/** The bucket that all keys and users of an account share. */
export function accountCaller({ account }: Identity): Caller[] {
  const { account_requests_per_second: perSecond, account_requests_burst: burst } = limitsOf(account)
  return perSecond === null ? [] : [{ id: `account:${account.id}`, rate: rateOf(perSecond, burst) }]
}

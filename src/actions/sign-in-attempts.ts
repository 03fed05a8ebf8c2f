import { BOUNDS } from '../domain/bounds.ts'
import { Buckets } from '../domain/buckets.ts'
import { networkOf } from '../domain/client-network.ts'
import { GatewayError } from '../domain/errors.ts'
import type { Rate } from '../domain/rate-limit.ts'
import { RecentMap } from '../domain/recent-map.ts'

const PER_ACCOUNT: Rate = { burst: 10, perSecond: 1 / 10 }
const PER_ADDRESS: Rate = { burst: 30, perSecond: 1 / 4 }
/** Whatever comes of it: right passwords and used links too, and bodies that nobody has read yet. */
const KNOCKS: Rate = { burst: 300, perSecond: 1 }
/** Each costs what a wrong one costs, and a portal session. */
const RIGHT_PASSWORDS: Rate = { burst: 20, perSecond: 1 / 15 }
const SIGN_UPS: Rate = { burst: 20, perSecond: 1 / 180 }

/** Slows down whoever guesses, at one account or at many. Known and unknown emails are treated alike. */
export interface SignInAttempts {
  /** Counts every request of an address at the door before it is read; 429 where there were too many. */
  knock(address: string): void
  /** Counts the attempt before it is judged, so that many at once count too; 429 where there were too many. */
  begin(address: string, email?: string): void
  /** Right after all: what was counted is given back, and this address may err on its own account from now on. */
  succeed(address: string, email?: string): void
  /** Counts a new account before it is made. */
  signUp(address: string): void
}

export function makeSignInAttempts(now: () => number): SignInAttempts {
  // Apart, so that nobody who has many of the one makes the others be forgotten.
  const bucketsOf = (rate: Rate) => new Buckets(rate, BOUNDS.trackedSignIns)
  const knocks = bucketsOf(KNOCKS)
  const networks = bucketsOf(PER_ADDRESS)
  const signUps = bucketsOf(SIGN_UPS)
  const accounts = bucketsOf(PER_ACCOUNT)
  const rightPasswords = bucketsOf(RIGHT_PASSWORDS)
  const trusted = new RecentMap<true>(BOUNDS.trackedSignIns)

  /** Strangers share one allowance for an account; an address that once knew the password cannot be shut out by them. */
  const accountKey = (address: string, email: string) =>
    trusted.get(`${email} ${address}`) ? `both ${email} ${address}` : `account ${email}`

  const refuse = (waitMs: number): void => {
    if (waitMs > 0) throw tooMany(waitMs)
  }
  return {
    knock: address => refuse(knocks.take(networkOf(address), now())),
    begin(address, email) {
      refuse(networks.take(networkOf(address), now()))
      if (email === undefined) return
      refuse(accounts.take(accountKey(address, email), now()))
      // Only looked at: it is taken by `succeed`, so that wrong passwords of others take nothing.
      refuse(rightPasswords.waitMs(email, now()))
    },
    succeed(address, email) {
      networks.giveBack(networkOf(address), now())
      if (email === undefined) return
      accounts.forget(accountKey(address, email))
      trusted.set(`${email} ${address}`, true)
      rightPasswords.take(email, now())
    },
    signUp: address => refuse(signUps.take(networkOf(address), now())),
  }
}

const tooMany = (retryAfterMs: number): GatewayError =>
  new GatewayError('rate_limited', 'too many attempts to sign in; wait before the next', retryAfterMs)

import { BOUNDS } from '../../domain/bounds.ts'
import { TokenBuckets } from '../../runtime/token-buckets.ts'
import { networkOf } from '../../domain/client-network.ts'
import { tooManyAttempts } from '../../domain/errors.ts'
import type { Rate } from '../../runtime/token-bucket.ts'
import { ExpiringMap } from '../../runtime/expiring-map.ts'

const PER_ACCOUNT: Rate = { burst: 10, perSecond: 1 / 10 }
const PER_ADDRESS: Rate = { burst: 30, perSecond: 1 / 4 }
/** All requests, including right passwords, used links and bodies that are not read yet. */
const ALL_REQUESTS: Rate = { burst: 300, perSecond: 1 }
/** A right password costs as much processor time as a wrong one, and creates a portal session too. */
const RIGHT_PASSWORDS: Rate = { burst: 20, perSecond: 1 / 15 }
const SIGN_UPS: Rate = { burst: 20, perSecond: 1 / 180 }

const bucketsOf = (rate: Rate): TokenBuckets => new TokenBuckets(rate, BOUNDS.trackedSignIns)

/** Slows down password guessing, at one account or at many. Known and unknown emails are treated alike. */
export class SignInAttempts {
  readonly #nowMs: () => number
  /** Separate maps, so that many entries of one kind do not evict others. The names are prefixes of ids in the store. */
  readonly buckets = {
    knocks: bucketsOf(ALL_REQUESTS),
    networks: bucketsOf(PER_ADDRESS),
    signUps: bucketsOf(SIGN_UPS),
    accounts: bucketsOf(PER_ACCOUNT),
    rightPasswords: bucketsOf(RIGHT_PASSWORDS),
  }
  readonly #trusted = new ExpiringMap<true>(BOUNDS.trackedSignIns)

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Counts every sign-in request of an address before it is read; throws 429 if there were too many. */
  countRequest(address: string): void {
    throwIfLimited(this.buckets.knocks.take(networkOf(address), this.#nowMs()))
  }

  /** Counts the attempt before it is checked, so that parallel attempts count; throws 429 if there were too many. */
  begin(address: string, email?: string): void {
    throwIfLimited(this.buckets.networks.take(networkOf(address), this.#nowMs()))
    if (email === undefined) return
    throwIfLimited(this.buckets.accounts.take(this.#accountKey(address, email), this.#nowMs()))
    // Only checked here and taken in `succeed`, so that other people's wrong passwords take nothing.
    throwIfLimited(this.buckets.rightPasswords.waitMs(email, this.#nowMs()))
  }

  /** The attempt was right: returns the tokens that it took, and gives this address a separate limit for this account. */
  succeed(address: string, email?: string): void {
    this.buckets.networks.giveBack(networkOf(address), this.#nowMs())
    if (email === undefined) return
    this.buckets.accounts.forget(this.#accountKey(address, email))
    this.#trusted.set(`${email} ${address}`, true)
    this.buckets.rightPasswords.take(email, this.#nowMs())
  }

  /** Counts a new account before it is created. */
  signUp(address: string): void {
    throwIfLimited(this.buckets.signUps.take(networkOf(address), this.#nowMs()))
  }

  /** Unknown addresses share one limit for an account; they cannot lock out an address that once knew the password. */
  #accountKey(address: string, email: string): string {
    return this.#trusted.get(`${email} ${address}`) ? `both ${email} ${address}` : `account ${email}`
  }
}

function throwIfLimited(waitMs: number): void {
  if (waitMs > 0) throw tooManyAttempts('too many attempts to sign in; wait before the next', waitMs)
}

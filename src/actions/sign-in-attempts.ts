import { BOUNDS } from '../domain/bounds.ts'
import { TokenBuckets } from '../runtime/token-buckets.ts'
import { networkOf } from '../domain/client-network.ts'
import { tooManyAttempts } from '../domain/errors.ts'
import type { Rate } from '../runtime/token-bucket.ts'
import { ExpiringMap } from '../runtime/expiring-map.ts'

const PER_ACCOUNT: Rate = { burst: 10, perSecond: 1 / 10 }
const PER_ADDRESS: Rate = { burst: 30, perSecond: 1 / 4 }
/** Whatever comes of it: right passwords and used links too, and bodies that nobody has read yet. */
const KNOCKS: Rate = { burst: 300, perSecond: 1 }
/** Each costs what a wrong one costs, and a portal session. */
const RIGHT_PASSWORDS: Rate = { burst: 20, perSecond: 1 / 15 }
const SIGN_UPS: Rate = { burst: 20, perSecond: 1 / 180 }

const bucketsOf = (rate: Rate): TokenBuckets => new TokenBuckets(rate, BOUNDS.trackedSignIns)

/** Slows down whoever guesses, at one account or at many. Known and unknown emails are treated alike. */
export class SignInAttempts {
  readonly #nowMs: () => number
  /** Apart, so that nobody who has many of the one makes the others be forgotten. */
  readonly buckets = {
    knocks: bucketsOf(KNOCKS),
    networks: bucketsOf(PER_ADDRESS),
    signUps: bucketsOf(SIGN_UPS),
    accounts: bucketsOf(PER_ACCOUNT),
    rightPasswords: bucketsOf(RIGHT_PASSWORDS),
  }
  readonly #trusted = new ExpiringMap<true>(BOUNDS.trackedSignIns)

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Counts every request of an address at the door before it is read; 429 where there were too many. */
  knock(address: string): void {
    refuseFor(this.buckets.knocks.take(networkOf(address), this.#nowMs()))
  }

  /** Counts the attempt before it is judged, so that many at once count too; 429 where there were too many. */
  begin(address: string, email?: string): void {
    refuseFor(this.buckets.networks.take(networkOf(address), this.#nowMs()))
    if (email === undefined) return
    refuseFor(this.buckets.accounts.take(this.#accountKey(address, email), this.#nowMs()))
    // Only looked at: it is taken by `succeed`, so that wrong passwords of others take nothing.
    refuseFor(this.buckets.rightPasswords.waitMs(email, this.#nowMs()))
  }

  /** Right after all: what was counted is given back, and this address may err on its own account from now on. */
  succeed(address: string, email?: string): void {
    this.buckets.networks.giveBack(networkOf(address), this.#nowMs())
    if (email === undefined) return
    this.buckets.accounts.forget(this.#accountKey(address, email))
    this.#trusted.set(`${email} ${address}`, true)
    this.buckets.rightPasswords.take(email, this.#nowMs())
  }

  /** Counts a new account before it is made. */
  signUp(address: string): void {
    refuseFor(this.buckets.signUps.take(networkOf(address), this.#nowMs()))
  }

  /** Strangers share one allowance for an account; an address that once knew the password cannot be shut out by them. */
  #accountKey(address: string, email: string): string {
    return this.#trusted.get(`${email} ${address}`) ? `both ${email} ${address}` : `account ${email}`
  }
}

function refuseFor(waitMs: number): void {
  if (waitMs > 0) throw tooManyAttempts('too many attempts to sign in; wait before the next', waitMs)
}

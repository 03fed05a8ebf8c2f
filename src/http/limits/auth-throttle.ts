import type { Clock } from '../../runtime/clock.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { TokenBuckets } from '../../runtime/token-buckets.ts'
import { networkOf } from '../../domain/client-network.ts'
import { tooManyAttempts } from '../../domain/errors.ts'
import type { Rate } from '../../runtime/token-bucket.ts'
import { ExpiringMap } from '../../runtime/expiring-map.ts'

/** How many wrong keys and cookies of one network may cost a query. */
const FAILURES: Rate = { burst: 100, perSecond: 20 }
/** How long a wrong secret is remembered: it could become right only by being created meanwhile. */
const WRONG_FOR_MS = 1_000
const MAX_WRONG = 10_000

/** Limits failed authentication attempts per network, so that clients without a key or session cannot load the store. */
export class AuthThrottle {
  readonly #clock: Clock
  readonly buckets = new TokenBuckets(FAILURES, BOUNDS.trackedCallers)
  readonly #right = new ExpiringMap<boolean>(BOUNDS.trackedCallers)
  readonly #wrong: ExpiringMap<true>
  /** Parallel requests with the same secret count as one attempt. */
  readonly #ongoing = new Map<string, Promise<unknown>>()

  constructor(clock: Clock) {
    this.#clock = clock
    this.#wrong = new ExpiringMap(MAX_WRONG, { ms: WRONG_FOR_MS, clock })
  }

  /**
   * Finds what a secret opens; the secret is given as its kind and digest. Throws 429 if its network has failed too often,
   * but never for a secret that was right before, whatever other clients in its network do.
   */
  check<T>(address: string, secret: string, find: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.#wrong.get(secret) === true) return Promise.resolve(undefined)
    const ongoing = this.#ongoing.get(secret)
    if (ongoing !== undefined) return ongoing as Promise<T | undefined>
    const checking = this.#check(networkOf(address), secret, find).finally(() => {
      if (this.#ongoing.get(secret) === checking) this.#ongoing.delete(secret)
    })
    this.#ongoing.set(secret, checking)
    return checking
  }

  /** Secrets have changed: requests from now on do not share a check that began before. */
  forgetOngoing(): void {
    this.#ongoing.clear()
  }

  /** The gateway has just issued this secret, so its first use is no attempt. */
  trust(secret: string): void {
    this.#right.set(secret, true)
  }

  async #check<T>(network: string, secret: string, find: () => Promise<T | undefined>): Promise<T | undefined> {
    const isKnown = this.#right.get(secret) === true
    if (!isKnown) this.#count(network)
    let isWrong = false
    try {
      const found = await find()
      isWrong = found === undefined
      if (isWrong) this.#wrong.set(secret, true)
      if (isWrong === isKnown) this.#right.set(secret, !isWrong)
      return found
    } finally {
      if (!isKnown && !isWrong) this.buckets.giveBack(network, this.#clock.monotonicMs())
    }
  }

  /** Before the check, so that parallel attempts count. */
  #count(network: string): void {
    const waitMs = this.buckets.take(network, this.#clock.monotonicMs())
    if (waitMs > 0) throw tooManyAttempts('too many wrong keys; wait before the next', waitMs)
  }
}

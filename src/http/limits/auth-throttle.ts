import type { Clock } from '../../runtime/clock.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { TokenBuckets } from '../../runtime/token-buckets.ts'
import { networkOf } from '../../domain/client-network.ts'
import { tooManyAttempts } from '../../domain/errors.ts'
import type { Rate } from '../../runtime/token-bucket.ts'
import { ExpiringMap } from '../../runtime/expiring-map.ts'

/** Wrong keys and cookies of one address that may cost a look into the store. */
const WRONG: Rate = { burst: 100, perSecond: 20 }
/** A secret that is wrong becomes right only by being made, which nobody can guess. */
const WRONG_FOR_MS = 1_000
const MAX_WRONG = 10_000

/** Keeps those who have no key or session from asking the store as often as they like. */
export class AuthThrottle {
  readonly #clock: Clock
  readonly buckets = new TokenBuckets(WRONG, BOUNDS.trackedRequesters)
  readonly #right = new ExpiringMap<boolean>(BOUNDS.trackedRequesters)
  readonly #wrong: ExpiringMap<true>
  /** Many requests of a client that has just come are one guess. */
  readonly #judging = new Map<string, Promise<unknown>>()

  constructor(clock: Clock) {
    this.#clock = clock
    this.#wrong = new ExpiringMap(MAX_WRONG, { ms: WRONG_FOR_MS, clock })
  }

  /**
   * What the secret, given as its digest with its kind, opens, if anything. 429 where its address has guessed too often;
   * a secret that was right before is never held back for what others at its address do.
   */
  judge<T>(address: string, secret: string, look: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.#wrong.get(secret) === true) return Promise.resolve(undefined)
    const ongoing = this.#judging.get(secret)
    if (ongoing !== undefined) return ongoing as Promise<T | undefined>
    const judged = this.#judge(networkOf(address), secret, look).finally(() => {
      if (this.#judging.get(secret) === judged) this.#judging.delete(secret)
    })
    this.#judging.set(secret, judged)
    return judged
  }

  /** Something has changed: whoever asks from now on hears no judgement that was begun before. */
  judgeAnew(): void {
    this.#judging.clear()
  }

  /** The gateway has just given this secret to somebody: it is no guess. */
  given(secret: string): void {
    this.#right.set(secret, true)
  }

  async #judge<T>(network: string, secret: string, look: () => Promise<T | undefined>): Promise<T | undefined> {
    const isKnown = this.#right.get(secret) === true
    if (!isKnown) this.#count(network)
    let isWrong = false
    try {
      const found = await look()
      isWrong = found === undefined
      if (isWrong) this.#wrong.set(secret, true)
      if (isWrong === isKnown) this.#right.set(secret, !isWrong)
      return found
    } finally {
      if (!isKnown && !isWrong) this.buckets.giveBack(network, this.#clock.monotonicMs())
    }
  }

  /** Before it is judged, so that many at once count too. */
  #count(network: string): void {
    const waitMs = this.buckets.take(network, this.#clock.monotonicMs())
    if (waitMs > 0) throw tooManyAttempts('too many wrong keys; wait before the next', waitMs)
  }
}

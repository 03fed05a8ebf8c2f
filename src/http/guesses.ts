import { networkOf } from '../actions/sign-in-attempts.ts'
import { BOUNDS } from '../domain/bounds.ts'
import { Buckets } from '../domain/buckets.ts'
import { GatewayError } from '../domain/errors.ts'
import type { Rate } from '../domain/rate-limit.ts'
import { RecentMap } from '../domain/recent-map.ts'

/** Wrong keys and cookies of one address that may cost a look into the store. */
const WRONG: Rate = { burst: 100, perSecond: 20 }
/** A secret that is wrong becomes right only by being made, which nobody can guess. */
const WRONG_FOR_MS = 1_000
const MAX_WRONG = 10_000

/** Keeps those who have no key or session from asking the store as often as they like. */
export interface Guesses {
  /**
   * What the secret, given as its digest with its kind, opens, if anything. 429 where its address has guessed too often; a secret that was right before is
   * never held back for what others at its address do.
   */
  judge<T>(address: string, secret: string, look: () => Promise<T | undefined>): Promise<T | undefined>
  /** The gateway has just given this secret to somebody: it is no guess. */
  given(secret: string): void
}

export function makeGuesses(): Guesses {
  const buckets = new Buckets(WRONG, BOUNDS.trackedRequesters)
  const right = new RecentMap<boolean>(BOUNDS.trackedRequesters)
  const wrongUntil = new RecentMap<number>(MAX_WRONG)
  /** Many requests of a client that has just come are one guess. */
  const judging = new Map<string, Promise<unknown>>()

  /** Before it is judged, so that many at once count too. */
  function count(network: string): void {
    const waitMs = buckets.take(network, Date.now())
    if (waitMs > 0) throw new GatewayError('rate_limited', 'too many wrong keys; wait before the next', waitMs)
  }

  async function judge<T>(address: string, secret: string, look: () => Promise<T | undefined>): Promise<T | undefined> {
    const isKnown = right.get(secret) === true
    const network = networkOf(address)
    if (!isKnown) count(network)
    let isWrong = false
    try {
      const found = await look()
      isWrong = found === undefined
      if (isWrong) wrongUntil.set(secret, Date.now() + WRONG_FOR_MS)
      if (isWrong === isKnown) right.set(secret, !isWrong)
      return found
    } finally {
      if (!isKnown && !isWrong) buckets.giveBack(network, Date.now())
    }
  }

  return {
    given: secret => right.set(secret, true),
    judge(address, secret, look) {
      if ((wrongUntil.get(secret) ?? 0) > Date.now()) return Promise.resolve(undefined)
      const ongoing = judging.get(secret)
      if (ongoing !== undefined) return ongoing as ReturnType<typeof look>
      const judged = judge(address, secret, look).finally(() => judging.delete(secret))
      judging.set(secret, judged)
      return judged
    },
  }
}

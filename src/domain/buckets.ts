import { type Bucket, type Rate, refill, take } from './rate-limit.ts'
import { RecentMap } from './recent-map.ts'

/** One allowance for each of many, of whom those are remembered who were seen last. */
export class Buckets {
  readonly #rate: Rate
  readonly #buckets: RecentMap<Bucket>

  constructor(rate: Rate, max: number) {
    this.#rate = rate
    this.#buckets = new RecentMap(max)
  }

  /** Takes one, or answers how long to wait until there is one; 0: taken. */
  take(key: string, nowMs: number): number {
    const taken = take(this.#buckets.get(key), this.#rate, nowMs)
    this.#buckets.set(key, taken.bucket)
    return taken.ok ? 0 : taken.retryAfterMs
  }

  /** How long to wait until there is one, and takes none. */
  waitMs(key: string, nowMs: number): number {
    const taken = take(this.#buckets.get(key), this.#rate, nowMs)
    return taken.ok ? 0 : taken.retryAfterMs
  }

  /** What was taken is given back. */
  giveBack(key: string, nowMs: number): void {
    const { tokens, at } = refill(this.#buckets.get(key), this.#rate, nowMs)
    this.#buckets.set(key, { tokens: Math.min(this.#rate.burst, tokens + 1), at })
  }

  /** Whoever this is begins anew. */
  forget(key: string): void {
    this.#buckets.delete(key)
  }
}

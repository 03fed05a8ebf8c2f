import { type Bucket, type Rate, refill, take } from './token-bucket.ts'
import { ExpiringMap } from './expiring-map.ts'

interface Tracked {
  bucket: Bucket
  rate: Rate
}

/** What was taken from a bucket here and not yet from the bucket that all processes share. */
export interface Unsettled {
  key: string
  n: number
  rate: Rate
}

/**
 * A token bucket for each of many keys; it remembers the most recently used. Where several processes share the limits, each
 * takes from its own buckets; at intervals it takes the same from the shared ones (`unsettled`) and continues with what is
 * left there (`goOnWith`).
 */
export class TokenBuckets {
  readonly #rate: Rate
  readonly #tracked: ExpiringMap<Tracked>
  readonly #unsettled = new Map<string, number>()
  #processes = 1
  #onMuchUnsettled = (): void => {}

  constructor(rate: Rate, max: number) {
    this.#rate = rate
    this.#tracked = new ExpiringMap(max)
  }

  /** Takes one, or returns how long to wait for one; 0: taken. */
  take(key: string, nowMs: number, rate: Rate = this.#rate): number {
    const taken = take(this.#tracked.get(key)?.bucket, this.#ownPart(rate), nowMs)
    this.#tracked.set(key, { bucket: taken.bucket, rate })
    if (!taken.ok) return taken.retryAfterMs
    this.#note(key, 1, rate)
    return 0
  }

  /** How long to wait for one; takes none. */
  waitMs(key: string, nowMs: number, rate: Rate = this.#rate): number {
    const taken = take(this.#tracked.get(key)?.bucket, this.#ownPart(rate), nowMs)
    return taken.ok ? 0 : taken.retryAfterMs
  }

  /** Returns a token. */
  giveBack(key: string, nowMs: number): void {
    const { tokens, at } = refill(this.#tracked.get(key)?.bucket, this.#ownPart(this.#rate), nowMs)
    this.#tracked.set(key, { bucket: { tokens: Math.min(this.#rate.burst, tokens + 1), at }, rate: this.#rate })
    this.#note(key, -1, this.#rate)
  }

  /** Resets the bucket of this key, in every process. */
  forget(key: string): void {
    this.#tracked.delete(key)
    this.#unsettled.set(key, -this.#rate.burst)
  }

  /** This many processes share the limits; `onMuchUnsettled` is called when one of the buckets should be synced soon. */
  shareWith(processes: number, onMuchUnsettled: () => void): void {
    this.#processes = processes
    this.#onMuchUnsettled = onMuchUnsettled
  }

  unsettled(): Unsettled[] {
    return [...this.#unsettled].flatMap(([key, n]) => {
      const rate = this.#tracked.get(key)?.rate
      // Taken for a key that has been evicted since.
      if (rate === undefined && n > 0) this.#unsettled.delete(key)
      return rate === undefined && n > 0 ? [] : [{ key, n, rate: rate ?? this.#rate }]
    })
  }

  /** This many were synced, and this is left for all processes; subtracts what was taken here since. */
  goOnWith(key: string, settled: number, left: number, nowMs: number): void {
    const meanwhile = (this.#unsettled.get(key) ?? 0) - settled
    if (meanwhile === 0) this.#unsettled.delete(key)
    else this.#unsettled.set(key, meanwhile)
    const tracked = this.#tracked.get(key)
    if (tracked !== undefined) tracked.bucket = { tokens: left - meanwhile, at: nowMs }
  }

  /** No other process shares the buckets: nothing is left to sync. */
  forgetUnsettled(): void {
    this.#unsettled.clear()
  }

  /** The refill rate is divided, the burst is not, since a caller may reach only one process. */
  #ownPart({ perSecond, burst }: Rate): Rate {
    return { perSecond: perSecond / this.#processes, burst }
  }

  #note(key: string, n: number, { burst }: Rate): void {
    const unsettled = (this.#unsettled.get(key) ?? 0) + n
    if (unsettled === 0) this.#unsettled.delete(key)
    else this.#unsettled.set(key, unsettled)
    // If all processes took this much before a sync, they would stay below the burst together.
    if (this.#processes > 1 && unsettled >= burst / (this.#processes + 1)) this.#onMuchUnsettled()
  }
}

import { type Bucket, type Rate, refill, take } from './token-bucket.ts'
import { ExpiringMap } from './expiring-map.ts'

interface Tracked {
  bucket: Bucket
  rate: Rate
}

/** How much this process took from its own bucket and has not taken from the shared bucket yet. */
export interface Unsynced {
  key: string
  n: number
  rate: Rate
}

/**
 * A token bucket for each of many keys; it remembers the most recently used. If several processes share the limits, each
 * takes from its own buckets. At intervals it takes the same amount from the shared ones (`unsynced`) and continues with what
 * is left there (`applySynced`).
 */
export class TokenBuckets {
  readonly #rate: Rate
  readonly #tracked: ExpiringMap<Tracked>
  readonly #unsynced = new Map<string, number>()
  #processes = 1
  #onMuchUnsynced = (): void => {}

  constructor(rate: Rate, max: number) {
    this.#rate = rate
    this.#tracked = new ExpiringMap(max)
  }

  /** Takes one, or returns how long to wait for one; 0: taken. */
  take(key: string, nowMs: number, rate: Rate = this.#rate): number {
    const taken = take(this.#tracked.get(key)?.bucket, this.#ownShare(rate), nowMs)
    this.#tracked.set(key, { bucket: taken.bucket, rate })
    if (!taken.ok) return taken.retryAfterMs
    this.#count(key, 1, rate)
    return 0
  }

  /** How long to wait for one; takes none. */
  waitMs(key: string, nowMs: number, rate: Rate = this.#rate): number {
    const taken = take(this.#tracked.get(key)?.bucket, this.#ownShare(rate), nowMs)
    return taken.ok ? 0 : taken.retryAfterMs
  }

  /** Returns a token. */
  giveBack(key: string, nowMs: number): void {
    const { tokens, at } = refill(this.#tracked.get(key)?.bucket, this.#ownShare(this.#rate), nowMs)
    this.#tracked.set(key, { bucket: { tokens: Math.min(this.#rate.burst, tokens + 1), at }, rate: this.#rate })
    this.#count(key, -1, this.#rate)
  }

  /** Resets the bucket of this key, in every process. */
  forget(key: string): void {
    this.#tracked.delete(key)
    this.#unsynced.set(key, -this.#rate.burst)
  }

  /** This many processes share the limits; `onMuchUnsynced` is called when one of the buckets should be synced soon. */
  shareWith(processes: number, onMuchUnsynced: () => void): void {
    this.#processes = processes
    this.#onMuchUnsynced = onMuchUnsynced
  }

  unsynced(): Unsynced[] {
    return [...this.#unsynced].flatMap(([key, n]) => {
      const rate = this.#tracked.get(key)?.rate
      // Taken for a key that has been evicted since.
      if (rate === undefined && n > 0) this.#unsynced.delete(key)
      return rate === undefined && n > 0 ? [] : [{ key, n, rate: rate ?? this.#rate }]
    })
  }

  /** This many were synced, and this is left for all processes; subtracts what was taken here since. */
  applySynced(key: string, synced: number, left: number, nowMs: number): void {
    const meanwhile = (this.#unsynced.get(key) ?? 0) - synced
    if (meanwhile === 0) this.#unsynced.delete(key)
    else this.#unsynced.set(key, meanwhile)
    const tracked = this.#tracked.get(key)
    if (tracked !== undefined) tracked.bucket = { tokens: left - meanwhile, at: nowMs }
  }

  /** No other process shares the buckets: nothing is left to sync. */
  forgetUnsynced(): void {
    this.#unsynced.clear()
  }

  /** The refill rate is divided, the burst is not, since a caller may reach only one process. */
  #ownShare({ perSecond, burst }: Rate): Rate {
    return { perSecond: perSecond / this.#processes, burst }
  }

  #count(key: string, n: number, { burst }: Rate): void {
    const unsynced = (this.#unsynced.get(key) ?? 0) + n
    if (unsynced === 0) this.#unsynced.delete(key)
    else this.#unsynced.set(key, unsynced)
    // If all processes took this much before a sync, they would stay below the burst together.
    if (this.#processes > 1 && unsynced >= burst / (this.#processes + 1)) this.#onMuchUnsynced()
  }
}

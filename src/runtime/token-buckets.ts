import { type Bucket, type Rate, refill, take } from './token-bucket.ts'
import { ExpiringMap } from './expiring-map.ts'

interface Tracked {
  bucket: Bucket
  rate: Rate
}

/** What was taken from an allowance here and is not yet taken from the one that all processes share. */
export interface Unsettled {
  key: string
  n: number
  rate: Rate
}

/**
 * One allowance for each of many, of whom those are remembered who were seen last. Where several processes share the
 * allowances, each lets through from its own; now and then it takes what it let through from those that all share
 * (`unsettled`) and goes on with what is left there (`goOnWith`).
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

  /** Takes one, or answers how long to wait until there is one; 0: taken. */
  take(key: string, nowMs: number, rate: Rate = this.#rate): number {
    const taken = take(this.#tracked.get(key)?.bucket, this.#ownPart(rate), nowMs)
    this.#tracked.set(key, { bucket: taken.bucket, rate })
    if (!taken.ok) return taken.retryAfterMs
    this.#note(key, 1, rate)
    return 0
  }

  /** How long to wait until there is one, and takes none. */
  waitMs(key: string, nowMs: number, rate: Rate = this.#rate): number {
    const taken = take(this.#tracked.get(key)?.bucket, this.#ownPart(rate), nowMs)
    return taken.ok ? 0 : taken.retryAfterMs
  }

  /** What was taken is given back. */
  giveBack(key: string, nowMs: number): void {
    const { tokens, at } = refill(this.#tracked.get(key)?.bucket, this.#ownPart(this.#rate), nowMs)
    this.#tracked.set(key, { bucket: { tokens: Math.min(this.#rate.burst, tokens + 1), at }, rate: this.#rate })
    this.#note(key, -1, this.#rate)
  }

  /** Whoever this is begins anew, in every process. */
  forget(key: string): void {
    this.#tracked.delete(key)
    this.#unsettled.set(key, -this.#rate.burst)
  }

  /** So many processes share the allowances; `onMuchUnsettled` hears when one of them should not wait to be settled. */
  shareWith(processes: number, onMuchUnsettled: () => void): void {
    this.#processes = processes
    this.#onMuchUnsettled = onMuchUnsettled
  }

  unsettled(): Unsettled[] {
    return [...this.#unsettled].flatMap(([key, n]) => {
      const rate = this.#tracked.get(key)?.rate
      // What was let through by somebody who is forgotten by now.
      if (rate === undefined && n > 0) this.#unsettled.delete(key)
      return rate === undefined && n > 0 ? [] : [{ key, n, rate: rate ?? this.#rate }]
    })
  }

  /** So many were settled, and this is left for all; less what was taken here since. */
  goOnWith(key: string, settled: number, left: number, nowMs: number): void {
    const meanwhile = (this.#unsettled.get(key) ?? 0) - settled
    if (meanwhile === 0) this.#unsettled.delete(key)
    else this.#unsettled.set(key, meanwhile)
    const tracked = this.#tracked.get(key)
    if (tracked !== undefined) tracked.bucket = { tokens: left - meanwhile, at: nowMs }
  }

  /** Nobody shares them: there is nothing to settle. */
  forgetUnsettled(): void {
    this.#unsettled.clear()
  }

  /** What comes in is divided; a burst is not, as whoever asks may know one process alone. */
  #ownPart({ perSecond, burst }: Rate): Rate {
    return { perSecond: perSecond / this.#processes, burst }
  }

  #note(key: string, n: number, { burst }: Rate): void {
    const unsettled = (this.#unsettled.get(key) ?? 0) + n
    if (unsettled === 0) this.#unsettled.delete(key)
    else this.#unsettled.set(key, unsettled)
    // Were all processes to take as much unheard, they would stay below the burst together.
    if (this.#processes > 1 && unsettled >= burst / (this.#processes + 1)) this.#onMuchUnsettled()
  }
}

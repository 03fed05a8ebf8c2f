import type { Context } from '../context.ts'
import { BOUNDS } from '../domain/bounds.ts'
import { GatewayError, text } from '../domain/errors.ts'
import { type Bucket, type Rate, refill, take } from '../domain/rate-limit.ts'
import { RecentMap } from '../domain/recent-map.ts'
import { Repeating } from '../repeating.ts'
import type { Store } from '../store/store.ts'

/** Somebody who asks: a key, a user, an account. */
export interface Requester {
  id: string
  rate: Rate
}

interface Tracked {
  bucket: Bucket
  rate: Rate
}

const SETTLE_EVERY_MS = 1_000
const SETTLED_AT_ONCE = 1_000

type LimitsParts = Pick<Context, 'clock' | 'log'> & { store: Pick<Store, 'accounts'> }

/**
 * How often keys, users and accounts may ask. Each process lets through from its own buckets; where others answer
 * requests too, once a second each takes what it let through from buckets that all share and goes on with what is
 * left there. So over any longer time the limit holds exactly; after a pause every further process may let through
 * one burst more, which is paid back before anything else is let through.
 */
export class RequestLimits {
  readonly #parts: LimitsParts
  /** No crowd of new ones gives anybody a fresh allowance who goes on asking. */
  readonly #tracked = new RecentMap<Tracked>(BOUNDS.trackedRequesters)
  readonly #unsettled = new Map<string, number>()
  #nodes = 1

  constructor(parts: LimitsParts) {
    this.#parts = parts
  }

  async run(signal: AbortSignal): Promise<void> {
    const settling = new Repeating(this.#parts, 'request_limits.settle', async () => {
      await this.#settle()
      return SETTLE_EVERY_MS
    })
    await settling.run(signal, SETTLE_EVERY_MS)
  }

  /** Takes one request of each of them, or of none: 429 where one has none left. Asks nobody. */
  count(requesters: Requester[]): void {
    const nowMs = this.#parts.clock.monotonicMs()
    const takes = requesters.map(({ id, rate }) => {
      const own = { perSecond: rate.perSecond / this.#nodes, burst: rate.burst }
      return { id, rate, own, taken: take(this.#tracked.get(id)?.bucket, own, nowMs) }
    })
    const waits = takes.map(({ taken }) => (taken.ok ? 0 : taken.retryAfterMs))
    const refused = Math.max(...waits) > 0
    for (const { id, rate, own, taken } of takes) {
      const bucket = refused ? refill(this.#tracked.get(id)?.bucket, own, nowMs) : taken.bucket
      this.#tracked.set(id, { bucket, rate })
      if (!refused) this.#unsettled.set(id, (this.#unsettled.get(id) ?? 0) + 1)
    }
    if (refused) throw new GatewayError('rate_limited', text.rateLimited, Math.max(...waits))
  }

  async #settle(): Promise<void> {
    const { store } = this.#parts
    this.#nodes = Math.max(1, await store.accounts.countApiNodes())
    if (this.#nodes === 1) return this.#unsettled.clear()
    const all = [...this.#unsettled].flatMap(([id, n]) => {
      const entry = this.#tracked.get(id)
      return entry === undefined ? [] : [{ id, n, ...entry.rate }]
    })
    for (let from = 0; from < all.length; from += SETTLED_AT_ONCE) {
      const items = all.slice(from, from + SETTLED_AT_ONCE)
      const left = await store.accounts.settleRequests(items)
      items.forEach(({ id, n }, i) => this.#goOnWith(id, n, left[i]!))
    }
    // What was let through by somebody who is forgotten by now.
    for (const id of this.#unsettled.keys()) if (this.#tracked.get(id) === undefined) this.#unsettled.delete(id)
  }

  /** What is left in the shared bucket, less what was let through since it was asked. */
  #goOnWith(id: string, settled: number, left: number): void {
    const meanwhile = (this.#unsettled.get(id) ?? 0) - settled
    if (meanwhile > 0) this.#unsettled.set(id, meanwhile)
    else this.#unsettled.delete(id)
    const entry = this.#tracked.get(id)
    if (entry !== undefined) entry.bucket = { tokens: left - meanwhile, at: this.#parts.clock.monotonicMs() }
  }
}

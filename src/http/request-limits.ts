import { BOUNDS } from '../domain/bounds.ts'
import { GatewayError, text } from '../domain/errors.ts'
import { type Bucket, type Rate, refill, take } from '../domain/rate-limit.ts'
import { RecentMap } from '../domain/recent-map.ts'
import type { Log } from '../log.ts'
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

export interface RequestLimits {
  /** Takes one request of each of them, or of none: 429 where one has none left. Asks nobody. */
  count(requesters: Requester[]): void
  stop(): void
}

const SETTLE_EVERY_MS = 1_000
const SETTLED_AT_ONCE = 1_000

/**
 * How often keys, users and accounts may ask. Each process lets through from its own buckets; where others answer
 * requests too, once a second each takes what it let through from buckets that all share and goes on with what is
 * left there. So over any longer time the limit holds exactly; after a pause every further process may let through
 * one burst more, which is paid back before anything else is let through.
 */
export function makeRequestLimits(store: Store, log: Log): RequestLimits {
  /** No crowd of new ones gives anybody a fresh allowance who goes on asking. */
  const tracked = new RecentMap<Tracked>(BOUNDS.trackedRequesters)
  const unsettled = new Map<string, number>()
  let nodes = 1
  let settling = false

  function count(requesters: Requester[]): void {
    const now = Date.now()
    const takes = requesters.map(({ id, rate }) => {
      const own = { perSecond: rate.perSecond / nodes, burst: rate.burst }
      return { id, rate, own, taken: take(tracked.get(id)?.bucket, own, now) }
    })
    const waits = takes.map(({ taken }) => (taken.ok ? 0 : taken.retryAfterMs))
    const refused = Math.max(...waits) > 0
    for (const { id, rate, own, taken } of takes) {
      const bucket = refused ? refill(tracked.get(id)?.bucket, own, now) : taken.bucket
      tracked.set(id, { bucket, rate })
      if (!refused) unsettled.set(id, (unsettled.get(id) ?? 0) + 1)
    }
    if (refused) throw new GatewayError('rate_limited', text.rateLimited, Math.max(...waits))
  }

  async function settle(): Promise<void> {
    nodes = Math.max(1, await store.accounts.countApiNodes())
    if (nodes === 1) return unsettled.clear()
    const all = [...unsettled].flatMap(([id, n]) => {
      const entry = tracked.get(id)
      return entry === undefined ? [] : [{ id, n, ...entry.rate }]
    })
    for (let from = 0; from < all.length; from += SETTLED_AT_ONCE) {
      const items = all.slice(from, from + SETTLED_AT_ONCE)
      const left = await store.accounts.settleRequests(items)
      items.forEach((item, i) => {
        const meanwhile = (unsettled.get(item.id) ?? 0) - item.n
        if (meanwhile > 0) unsettled.set(item.id, meanwhile)
        else unsettled.delete(item.id)
        const entry = tracked.get(item.id)
        if (entry !== undefined) entry.bucket = { tokens: left[i]! - meanwhile, at: Date.now() }
      })
    }
    // What was let through by somebody who is forgotten by now.
    for (const id of unsettled.keys()) if (tracked.get(id) === undefined) unsettled.delete(id)
  }

  const timer = setInterval(() => {
    if (settling) return
    settling = true
    settle()
      .catch((error: unknown) => log.warn({ err: error }, 'request limits could not be shared'))
      .finally(() => (settling = false))
  }, SETTLE_EVERY_MS).unref()

  return { count, stop: () => clearInterval(timer) }
}

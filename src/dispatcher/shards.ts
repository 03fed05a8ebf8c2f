import type { Context } from '../context.ts'
import { lastsUntil, type Lease, shardNumberOf } from '../domain/lease.ts'

export interface Shard {
  readonly number: number
  readonly lease: Lease
  /** Attempts whose result is not durable yet. */
  inFlight: number
  /** Being given up: nothing new is begun. */
  leaving: boolean
}

/** With fewer shards than its share a dispatcher looks for free ones this often. */
const HUNGRY_MS = 500

export interface ShardEvents {
  gained(): void
  /** Also called for a shard that is about to be given up. */
  lost(shard: Shard): void
}

/** The shards that this dispatcher owns: renewed in time, shared fairly, given up before they run out. */
export function createShards(context: Pick<Context, 'store' | 'config' | 'nodeId' | 'log'>, events: ShardEvents) {
  const { store, nodeId, log } = context
  const ttlMs = context.config.leaseTtlMs
  const owned = new Map<number, Shard>()
  let validUntil = Number.NEGATIVE_INFINITY
  let databaseOffsetMs = Date.now() - performance.now()
  let hungry = true

  /** One round: renews, takes, and begins to give up what others should have. */
  async function tend(): Promise<void> {
    const askedAt = performance.now()
    const tended = await store.tendShards({ owner: nodeId, held: [...owned.values()].map(s => s.lease), ttlMs })
    validUntil = lastsUntil(askedAt, ttlMs)
    databaseOffsetMs = tended.nowMs - performance.now()
    settle(tended.held)
    hungry = tended.surplus === 0 && tended.held.length < tended.share
    const staying = [...owned.values()].filter(shard => !shard.leaving)
    const leaving = owned.size - staying.length
    for (const shard of staying.slice(0, Math.max(0, tended.surplus - leaving))) leave(shard)
    await giveBackEmpty()
  }

  function settle(held: Lease[]): void {
    const renewed = new Map(held.map(lease => [lease.resource, lease]))
    for (const shard of owned.values()) {
      if (renewed.get(shard.lease.resource)?.epoch === shard.lease.epoch) continue
      owned.delete(shard.number)
      if (!shard.leaving) events.lost(shard)
    }
    for (const lease of held) {
      const number = shardNumberOf(lease)
      if (owned.has(number)) continue
      const shard = { number, lease, inFlight: 0, leaving: false }
      owned.set(number, shard)
      events.gained()
    }
  }

  function leave(shard: Shard): void {
    shard.leaving = true
    events.lost(shard)
  }

  async function giveBackEmpty(): Promise<void> {
    const empty = [...owned.values()].filter(shard => shard.leaving && shard.inFlight === 0)
    if (empty.length === 0) return
    for (const shard of empty) owned.delete(shard.number)
    await store.leaveShards({ owner: nodeId, leases: empty.map(shard => shard.lease), forGood: false })
  }

  /** Leaves for good; call it once nothing is in flight. */
  async function leaveAll(): Promise<void> {
    const leases = [...owned.values()].map(shard => shard.lease)
    owned.clear()
    await store
      .leaveShards({ owner: nodeId, leases, forGood: true })
      .catch((error: unknown) => log.warn({ err: error }, 'shards could not be given back'))
  }

  return {
    tend,
    leaveAll,
    /** The shard, if deliveries of it may be begun now. */
    active: (number: number): Shard | undefined => {
      const shard = owned.get(number)
      return shard !== undefined && !shard.leaving ? shard : undefined
    },
    numbers: (): number[] => [...owned.values()].filter(shard => !shard.leaving).map(shard => shard.number),
    /** False when the leases may have run out by now: by our own clock, which no one can set. */
    isValid: (): boolean => performance.now() < validUntil,
    nextTendMs: (): number => (hungry ? Math.min(HUNGRY_MS, ttlMs / 3) : ttlMs / 3),
    /** The database's clock, as near as it can be known without asking. */
    databaseNow: (): number => performance.now() + databaseOffsetMs,
  }
}

export type Shards = ReturnType<typeof createShards>

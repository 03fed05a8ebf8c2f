import type { Context } from '../context.ts'
import { aloneLeaseMs, heartbeatMs, leaseFreshMs, LeaseOwnerWatch } from '../domain/lease-owner-watch.ts'
import { type ShardLease, shardNumberOf } from '../domain/lease.ts'
import type { Store } from '../store/store.ts'
import type { ShardAssignment } from '../store/shards/shards.ts'

export interface Shard {
  readonly number: number
  readonly lease: ShardLease
  /** Attempts whose result is not durable yet. */
  inFlight: number
  /** About to be released: no delivery begins. */
  leaving: boolean
}

/**
 * Whether a delivery of a shard may begin: `uncertain` while another dispatcher may have taken the shard, and `lost` when it
 * has, or is about to.
 */
export type Tenure = 'held' | 'uncertain' | 'lost'

/** What a rebalancing round has changed. */
export interface Rebalanced {
  gained: boolean
  /** No delivery of these may begin; some are only about to be released. */
  lost: Shard[]
}

/** A dispatcher with fewer shards than its share polls for free ones this often. */
const BELOW_SHARE_MS = 500

type ShardsDeps = Pick<Context, 'config' | 'nodeId' | 'log' | 'clock'> & {
  store: Pick<Store, 'leases' | 'shards' | 'signals'>
}

/**
 * The shards that this dispatcher owns, shared fairly. While the database is unreachable it keeps them, and begins no
 * delivery of them.
 */
export class Shards {
  readonly #deps: ShardsDeps
  readonly #id: string
  readonly #watch: LeaseOwnerWatch
  readonly #owned = new Map<number, Shard>()
  #sentAt = Number.NEGATIVE_INFINITY
  #isBelowShare = true
  #promisedMs: number

  constructor(deps: ShardsDeps) {
    this.#deps = deps
    this.#id = `${deps.nodeId}/dispatcher`
    const { config, store } = deps
    this.#watch = new LeaseOwnerWatch(config.leaseTtlMs, store.signals.areCertain ? aloneLeaseMs(config) : undefined)
    this.#promisedMs = this.#watch.leaseMs
  }

  /** One round: records the heartbeat, takes free shards and begins to release surplus ones. */
  async rebalance(): Promise<Rebalanced> {
    const { clock } = this.#deps
    const sentAt = clock.monotonicMs()
    const { leaseMs } = this.#watch
    // As soon as it is sent, others may judge this dispatcher by a shorter promise.
    this.#promisedMs = Math.min(this.#promisedMs, leaseMs)
    const assigned = await this.#recordHeartbeat(leaseMs)
    await this.#endDead(assigned)
    this.#promisedMs = leaseMs
    this.#sentAt = sentAt
    this.#isBelowShare = assigned.surplus === 0 && assigned.held.length < assigned.share
    const lost = this.#dropLost(assigned.held)
    const gained = this.#addGained(assigned.held)
    const left = this.#leaveSurplus(assigned.surplus)
    return { gained, lost: [...lost, ...left] }
  }

  async #recordHeartbeat(leaseMs: number): Promise<ShardAssignment> {
    const { store, nodeId, config } = this.#deps
    return await store.shards
      .rebalanceShards({ id: this.#id, nodeId, lastsMs: config.outageMs, leaseMs })
      .catch((error: unknown) => {
        this.#watch.unanswered()
        throw error
      })
  }

  async #endDead({ owners }: ShardAssignment): Promise<void> {
    const { store, log, clock } = this.#deps
    const others = owners.filter(({ id }) => id !== this.#id)
    for (const { id, beat } of this.#watch.answered(others, clock.monotonicMs()))
      if (await store.leases.endLeaseOwner({ id, beat })) log.warn({ owner: id }, 'dispatcher.died')
  }

  /** Shards that were about to be released are not reported again. */
  #dropLost(held: ShardLease[]): Shard[] {
    const epochs = new Map(held.map(lease => [lease.id, lease.epoch]))
    const lost = [...this.#owned.values()].filter(({ lease }) => epochs.get(lease.id) !== lease.epoch)
    for (const { number } of lost) this.#owned.delete(number)
    return lost.filter(shard => !shard.leaving)
  }

  #addGained(held: ShardLease[]): boolean {
    const gained = held.filter(lease => !this.#owned.has(shardNumberOf(lease)))
    for (const lease of gained) {
      const number = shardNumberOf(lease)
      this.#owned.set(number, { number, lease, inFlight: 0, leaving: false })
    }
    return gained.length > 0
  }

  #leaveSurplus(surplus: number): Shard[] {
    const staying = [...this.#owned.values()].filter(shard => !shard.leaving)
    const leaving = this.#owned.size - staying.length
    const left = staying.slice(0, Math.max(0, surplus - leaving))
    for (const shard of left) shard.leaving = true
    return left
  }

  /** Releases the leaving shards that have no delivery in flight any more. */
  async releaseEmpty(): Promise<void> {
    const { store } = this.#deps
    const empty = [...this.#owned.values()].filter(shard => shard.leaving && shard.inFlight === 0)
    if (empty.length === 0) return
    for (const shard of empty) this.#owned.delete(shard.number)
    await store.shards.leaveShards({ owner: this.#id, leases: empty.map(shard => shard.lease), forGood: false })
  }

  /** Releases all shards at the end: no delivery is in flight any more. */
  async leaveAll(): Promise<void> {
    const { store, log } = this.#deps
    const leases = [...this.#owned.values()].map(shard => shard.lease)
    this.#owned.clear()
    await store.shards
      .leaveShards({ owner: this.#id, leases, forGood: true })
      .catch((error: unknown) => log.warn({ err: error }, 'shards.release_failed'))
  }

  /** The shard, if deliveries of it may begin now. */
  active(number: number): Shard | undefined {
    const shard = this.#owned.get(number)
    return shard !== undefined && !shard.leaving ? shard : undefined
  }

  tenureOf(shard: Shard): Tenure {
    if (this.active(shard.number) !== shard) return 'lost'
    return this.isValid() ? 'held' : 'uncertain'
  }

  numbers(): number[] {
    return [...this.#owned.values()].filter(shard => !shard.leaving).map(shard => shard.number)
  }

  /** False when another dispatcher may have taken them, by the monotonic clock. */
  isValid(): boolean {
    return this.#deps.clock.monotonicMs() < this.#sentAt + leaseFreshMs(this.#promisedMs)
  }

  nextRebalanceMs(): number {
    const ms = heartbeatMs(Math.min(this.#promisedMs, this.#watch.leaseMs))
    return this.#isBelowShare ? Math.min(BELOW_SHARE_MS, ms) : ms
  }
}

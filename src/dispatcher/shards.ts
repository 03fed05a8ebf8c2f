import type { Context } from '../context.ts'
import { lastsUntil, type ShardLease, shardNumberOf } from '../domain/lease.ts'
import type { Store } from '../store/store.ts'

export interface Shard {
  readonly number: number
  readonly lease: ShardLease
  /** Attempts whose result is not durable yet. */
  inFlight: number
  /** Being given up: nothing new is begun. */
  leaving: boolean
}

/** What a round of tending has changed. */
export interface Tended {
  gained: boolean
  /** Of these nothing more may be begun, also where they are only about to be given up. */
  lost: Shard[]
}

/** With fewer shards than its share a dispatcher looks for free ones this often. */
const HUNGRY_MS = 500

type ShardsParts = Pick<Context, 'config' | 'nodeId' | 'log' | 'clock'> & { store: Pick<Store, 'delivery'> }

/** The shards that this dispatcher owns: renewed in time, shared fairly, given up before they run out. */
export class Shards {
  readonly #parts: ShardsParts
  readonly #ttlMs: number
  readonly #owned = new Map<number, Shard>()
  #validUntil = Number.NEGATIVE_INFINITY
  #isHungry = true

  constructor(parts: ShardsParts) {
    this.#parts = parts
    this.#ttlMs = parts.config.leaseTtlMs
  }

  /** One round: renews, takes, and begins to give up what others should have. */
  async tend(): Promise<Tended> {
    const { store, nodeId: owner, clock } = this.#parts
    const askedAt = clock.monotonicMs()
    const held = [...this.#owned.values()].map(shard => shard.lease)
    const tended = await store.delivery.tendShards({ owner, held, ttlMs: this.#ttlMs })
    this.#validUntil = lastsUntil(askedAt, this.#ttlMs)
    this.#isHungry = tended.surplus === 0 && tended.held.length < tended.share
    const lost = this.#dropLost(tended.held)
    const gained = this.#addGained(tended.held)
    const left = this.#leaveSurplus(tended.surplus)
    return { gained, lost: [...lost, ...left] }
  }

  /** Those that were being given up have ended before. */
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

  /** Gives back what is being given up and has nothing in flight any more. */
  async giveBackEmpty(): Promise<void> {
    const { store, nodeId: owner } = this.#parts
    const empty = [...this.#owned.values()].filter(shard => shard.leaving && shard.inFlight === 0)
    if (empty.length === 0) return
    for (const shard of empty) this.#owned.delete(shard.number)
    await store.delivery.leaveShards({ owner, leases: empty.map(shard => shard.lease), forGood: false })
  }

  /** Leaves for good: nothing is in flight any more. */
  async leaveAll(): Promise<void> {
    const { store, nodeId: owner, log } = this.#parts
    const leases = [...this.#owned.values()].map(shard => shard.lease)
    this.#owned.clear()
    await store.delivery
      .leaveShards({ owner, leases, forGood: true })
      .catch((error: unknown) => log.warn({ err: error }, 'shards.not_given_back'))
  }

  /** The shard, if deliveries of it may be begun now. */
  active(number: number): Shard | undefined {
    const shard = this.#owned.get(number)
    return shard !== undefined && !shard.leaving ? shard : undefined
  }

  numbers(): number[] {
    return [...this.#owned.values()].filter(shard => !shard.leaving).map(shard => shard.number)
  }

  /** False when the leases may have run out by now: by our own clock, which no one can set. */
  isValid(): boolean {
    return this.#parts.clock.monotonicMs() < this.#validUntil
  }

  nextTendMs(): number {
    return this.#isHungry ? Math.min(HUNGRY_MS, this.#ttlMs / 3) : this.#ttlMs / 3
  }
}

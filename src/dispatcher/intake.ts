import type { Context } from '../context.ts'
import { type DueDelivery, parseLane, shardOf } from '../domain/delivery.ts'
import { TAKEN } from '../store/signals.ts'
import type { Store } from '../store/store.ts'
import { type LaneHead, LANES_READ } from '../store/deliveries/due-deliveries.ts'
import type { After } from './deliver.ts'
import { DueTimes } from './due-times.ts'
import type { Lane } from './lane.ts'
import { LaneReader } from './lane-reader.ts'
import { Lanes } from './lanes.ts'
import type { Placement } from './placement.ts'
import type { Shards } from './shards.ts'
import { setImmediate as yieldToEvents } from 'node:timers/promises'

/** A busy lane is read from its start this often, in case a notification for an earlier place was lost. */
const READ_WHOLE_MS = 5_000

const TICK_MS = 25
/** A clock may be set forward: the due times are looked at again after this time, or with the next poll. */
const LONGEST_SLEEP_MS = 1_000

interface IntakeDeps extends Pick<Context, 'log' | 'clock'> {
  store: Pick<Store, 'deliveries' | 'shards' | 'signals'>
  shards: Shards
  placement: Placement
  /** Something becomes due before the next tick. */
  tickSooner: () => void
}

/** Reads due deliveries into memory: at once after a notification, when they become due, and with a scan every second. */
export class Intake {
  readonly #deps: IntakeDeps
  readonly #lanes: Lanes
  readonly #reader: LaneReader
  readonly #dueTimes = new DueTimes(TICK_MS)
  #nextTickAt = 0

  constructor(deps: IntakeDeps) {
    this.#deps = deps
    this.#lanes = new Lanes(deps.clock)
    this.#reader = new LaneReader(deps)
  }

  /**
   * A transaction has added deliveries to a lane, the first due at `dueAt`; `fresh` are all of them, if they are known. While
   * this dispatcher's heartbeat fails, another one may own the shard, and needs the signal too.
   */
  notified(key: string, dueAt: number, fresh: readonly DueDelivery[] = []): typeof TAKEN | undefined {
    const lane = this.#own(key)
    if (lane === undefined) return undefined
    if (lane.take(fresh, this.#deps.clock.monotonicMs())) void this.#deps.placement.place(lane)
    else {
      lane.wakeAt(dueAt)
      this.#reader.want(lane)
    }
    return this.#deps.shards.isValid() ? TAKEN : undefined
  }

  webhookChanged(webhookId: string): void {
    void this.#deps.placement.placeAgain(webhookId, this.#lanes.ofWebhook(webhookId))
  }

  /** The delivery's result is durable. */
  ended(lane: Lane, delivery: DueDelivery, after: After): void {
    lane.end(delivery)
    this.#reader.ended(delivery)
    if (after.kind === 'due') this.#noteDue(after.dueAt, lane.key)
    if (after.kind === 'waits') lane.putBack(after.delivery)
    this.#reader.want(lane)
  }

  shardLost(shard: number): void {
    this.#lanes.closeShard(shard)
  }

  /** Reads the lanes that are due and their next due times. Returns the time until the next tick. */
  tick(): number {
    const { store, clock, log } = this.#deps
    const nowMs = clock.now().getTime()
    const lanes = this.#dueTimes.take(nowMs).flatMap(key => this.#own(key) ?? [])
    const idleMs = this.#dueTimes.idleMs(nowMs, store.signals.pollDelayMs(LONGEST_SLEEP_MS))
    this.#nextTickAt = nowMs + idleMs
    if (lanes.length === 0) return idleMs
    for (const lane of lanes) this.#readFromStart(lane)
    const wanted = lanes.map(({ key, shard }) => ({ lane: key, shard }))
    void store.deliveries
      .readNextDue({ lanes: wanted, afterMs: nowMs })
      .then(next => next.forEach(({ lane, dueAt }) => this.#noteDue(dueAt, lane)))
      // The next scan finds them.
      .catch((error: unknown) => log.warn({ err: error }, 'deliveries.read_failed'))
    return idleMs
  }

  /** Scans every lane with deliveries. Returns the due time of the oldest one that is due, and whose endpoint answers. */
  async scan(): Promise<number | null> {
    const { store, shards, clock } = this.#deps
    let oldest: number | null = null
    for await (const head of laneHeads(store, shards.numbers())) {
      this.#consider(head)
      if (head.dueAt <= clock.now().getTime() && !this.#lanes.isHeld(head.lane))
        oldest = Math.min(oldest ?? head.dueAt, head.dueAt)
    }
    this.#lanes.closeIdle(lane => !this.#reader.isWanted(lane))
    return oldest
  }

  #consider({ shard, lane: key, dueAt, nextDueAt }: LaneHead): void {
    const { shards, clock, placement } = this.#deps
    if (shards.active(shard) === undefined) return
    if (nextDueAt !== null) this.#noteDue(nextDueAt, key)
    if (dueAt > clock.now().getTime()) return
    const lane = this.#lanes.of(key, shard)
    const longAgo = clock.monotonicMs() - READ_WHOLE_MS
    if (lane.isEmpty || lane.wasReadWholeBefore(longAgo)) this.#readFromStart(lane)
    else this.#reader.want(lane)
    void placement.place(lane)
  }

  #noteDue(dueAt: number, lane: string): void {
    const readAt = this.#dueTimes.note(dueAt, lane)
    if (readAt >= this.#nextTickAt) return
    this.#nextTickAt = readAt
    this.#deps.tickSooner()
  }

  #readFromStart(lane: Lane): void {
    lane.readFromStart(this.#deps.clock.monotonicMs())
    this.#reader.want(lane)
  }

  /** The lane, if this dispatcher owns its shard. */
  #own(key: string): Lane | undefined {
    const shard = shardOf(parseLane(key).webhookId)
    return this.#deps.shards.active(shard) === undefined ? undefined : this.#lanes.of(key, shard)
  }
}

/** Every lane of these shards with deliveries, read in batches: the event loop runs in between. */
export async function* laneHeads(store: Pick<Store, 'deliveries'>, shards: number[]): AsyncGenerator<LaneHead> {
  let places = shards.map(shard => ({ shard, after: '' }))
  while (places.length > 0) {
    const heads = await store.deliveries.readLanes(places)
    yield* heads
    // The rows are in the order of the lanes over all shards, so a shard without a row has no lane left.
    const last = new Map(heads.map(({ shard, lane }) => [shard, lane]))
    places = heads.length < LANES_READ ? [] : [...last].map(([shard, after]) => ({ shard, after }))
    await yieldToEvents()
  }
}

import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { parseLane, shardOf } from '../domain/delivery.ts'
import type { DueDelivery, LaneHead } from '../store/units/deliveries.ts'
import { FIRST_LIMIT } from './breaker.ts'
import { enqueue, isBefore, type Lane, newLane, START } from './lane.ts'
import type { Shards } from './shards.ts'
import type { Targets } from './targets.ts'
import type { Turns } from './turns.ts'
import { createWakes } from './wakes.ts'

/** Deliveries of a lane that wait in memory: four for each request that its endpoint may have in flight. */
const WINDOW_PER_REQUEST = 4
const MIN_WINDOW = 16
const LANES_PER_READ = 128
const SHARDS_PER_LOOK = 8
const TICK_MS = 25
/** A busy lane is read from its beginning this often, in case a wake-up for an earlier place was lost. */
const READ_WHOLE_MS = 5_000
const IDLE_LANE_MS = 5_000

const windowOf = (lane: Lane): number =>
  Math.max(MIN_WINDOW, WINDOW_PER_REQUEST * (lane.endpoint?.breaker.limit ?? FIRST_LIMIT))

interface IntakeParts extends Pick<Context, 'store' | 'log'> {
  shards: Shards
  turns: Turns
  targets: Targets
  /** Called when deliveries have come into memory. */
  onReady(): void
}

/** Brings due deliveries into memory: at once where a commit wakes it, at their time, and by looking every second. */
export function createIntake({ store, log, shards, turns, targets, onReady }: IntakeParts) {
  const lanes = new Map<string, Lane>()
  const unread = new Set<Lane>()
  const wakes = createWakes(TICK_MS)
  /** Done since the read under way began: its answer may still show them. */
  const doneMeanwhile = new Set<string>()
  let reading = false

  function laneOf(key: string, shard: number): Lane {
    let lane = lanes.get(key)
    if (lane === undefined) lanes.set(key, (lane = newLane(key, shard)))
    return lane
  }

  /** A commit has put deliveries into a lane, the first of them due at this time. */
  function woken(key: string, dueAt: number): void {
    const shard = shardOf(parseLane(key).webhookId)
    if (shards.active(shard) === undefined) return
    const lane = laneOf(key, shard)
    // Commits overtake each other: what is due earlier than what was read last must be read too.
    if (dueAt <= lane.cursor.dueAt) lane.cursor = { dueAt, id: '' }
    stir(lane)
  }

  function readWhole(lane: Lane): void {
    lane.cursor = START
    lane.readWholeAt = performance.now()
    stir(lane)
  }

  function stir(lane: Lane): void {
    lane.hasMore = true
    lane.stirred = true
    want(lane)
  }

  function want(lane: Lane): void {
    if (!lane.hasMore || lane.queue.length > windowOf(lane) / 2) return
    unread.add(lane)
    if (!reading) {
      reading = true
      void readAll()
    }
  }

  async function readAll(): Promise<void> {
    // What other commits of this moment bring is read in the same go.
    await yieldToEvents()
    try {
      while (unread.size > 0) {
        const batch = [...unread].slice(0, LANES_PER_READ)
        for (const lane of batch) {
          unread.delete(lane)
          lane.stirred = false
        }
        await readBatch(batch)
      }
    } catch (error) {
      log.warn({ err: error }, 'deliveries could not be read')
    }
    reading = false
  }

  async function readBatch(batch: Lane[]): Promise<void> {
    doneMeanwhile.clear()
    const limits = new Map(
      batch.map(lane => [lane.key, windowOf(lane) + (lane.cursor === START ? lane.known.size : 0)]),
    )
    const rows = await store.readDue(
      batch.map(({ shard, key, cursor, deep }) => ({
        shard,
        lane: key,
        dueAt: cursor.dueAt,
        id: cursor.id,
        limit: limits.get(key)!,
        deep,
      })),
    )
    const counts = new Map<string, number>()
    for (const row of rows) {
      counts.set(row.lane, (counts.get(row.lane) ?? 0) + 1)
      const lane = lanes.get(row.lane)
      if (lane === undefined || shards.active(lane.shard) === undefined) continue
      take(lane, row)
    }
    for (const lane of batch) {
      lane.deep = (counts.get(lane.key) ?? 0) >= limits.get(lane.key)!
      lane.hasMore = lane.stirred || lane.deep
      await stand(lane)
    }
    onReady()
  }

  function take(lane: Lane, row: DueDelivery): void {
    if (!lane.stirred && isBefore(lane.cursor, row)) lane.cursor = { dueAt: row.dueAt, id: row.id }
    if (lane.known.has(row.id) || doneMeanwhile.has(row.id)) return
    enqueue(lane, row)
    lane.usedAt = performance.now()
  }

  /** Stands the lane at the endpoint that its webhook names now. */
  async function assign(lane: Lane): Promise<void> {
    const first = lane.queue[0]
    if (first === undefined) return
    const target = await targets.get(lane.webhookId)
    if (lanes.get(lane.key) !== lane) return
    const endpoint = turns.endpointOf(first.accountId, lane.webhookId, target?.urls[lane.category] ?? '')
    if (lane.endpoint !== endpoint) {
      lane.endpoint?.lanes.delete(lane)
      lane.endpoint = endpoint
      endpoint.lanes.add(lane)
    }
    turns.offer(endpoint)
  }

  /** One lane whose webhook cannot be read now is stood again by the next look, and holds up no other. */
  async function stand(lane: Lane): Promise<void> {
    await assign(lane).catch((error: unknown) => log.warn({ err: error, lane: lane.key }, 'webhook could not be read'))
  }

  /** The webhook has changed: its deliveries may stand at another endpoint now. */
  function webhookChanged(webhookId: string): void {
    targets.forget(webhookId)
    for (const lane of lanes.values()) {
      if (lane.webhookId === webhookId) void stand(lane).then(onReady)
    }
  }

  /** The delivery's result is durable; another attempt is due at `dueAt`. */
  function done(lane: Lane, delivery: DueDelivery, dueAt: number | null): void {
    lane.known.delete(delivery.id)
    if (reading) doneMeanwhile.add(delivery.id)
    if (dueAt !== null) wakes.at(dueAt, lane.key)
    if (lanes.get(lane.key) === lane) want(lane)
  }

  /** Reads the lanes whose time has come, and learns when it comes next. */
  function tick(): void {
    const nowMs = shards.databaseNow()
    const woken = [...wakes.take(nowMs)]
      .map(lane => ({ lane, shard: shardOf(parseLane(lane).webhookId) }))
      .filter(({ shard }) => shards.active(shard) !== undefined)
    if (woken.length === 0) return
    for (const { lane, shard } of woken) readWhole(laneOf(lane, shard))
    void store
      .readNextDue({ lanes: woken, afterMs: Math.floor(nowMs) })
      .then(next => next.forEach(({ lane, dueAt }) => wakes.at(dueAt, lane)))
      // The next look finds what this could not.
      .catch((error: unknown) => log.warn({ err: error }, 'due times could not be read'))
  }

  /** Looks at every lane that holds anything. Answers since when the oldest due delivery waits. */
  async function look(): Promise<number | null> {
    const numbers = shards.numbers()
    let oldest: number | null = null
    for (let i = 0; i < numbers.length; i += SHARDS_PER_LOOK) {
      for (const head of await store.readLanes(numbers.slice(i, i + SHARDS_PER_LOOK))) {
        consider(head)
        if (head.dueAt <= shards.databaseNow()) oldest = Math.min(oldest ?? head.dueAt, head.dueAt)
      }
      await yieldToEvents()
    }
    dropIdle()
    return oldest
  }

  function consider({ shard, lane: key, dueAt, nextDueAt }: LaneHead): void {
    if (shards.active(shard) === undefined) return
    if (nextDueAt !== null) wakes.at(nextDueAt, key)
    if (dueAt > shards.databaseNow()) return
    const lane = laneOf(key, shard)
    const overdue = performance.now() - lane.readWholeAt > READ_WHOLE_MS
    if (lane.known.size === 0 || overdue) readWhole(lane)
    else want(lane)
    if (lane.queue.length > 0) void stand(lane).then(onReady)
  }

  function dropIdle(): void {
    const before = performance.now() - IDLE_LANE_MS
    for (const lane of lanes.values()) {
      if (lane.known.size === 0 && lane.usedAt < before && !unread.has(lane)) drop(lane)
    }
    turns.forgetIdle()
    targets.forgetOld()
  }

  function drop(lane: Lane): void {
    lanes.delete(lane.key)
    unread.delete(lane)
    lane.endpoint?.lanes.delete(lane)
    lane.queue.length = 0
  }

  /** Forgets what waits of a shard that is no longer ours. */
  function shardLost(number: number): void {
    for (const lane of lanes.values()) if (lane.shard === number) drop(lane)
  }

  return { woken, webhookChanged, done, tick, look, shardLost, tickMs: TICK_MS }
}

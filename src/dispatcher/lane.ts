import { type DueDelivery, parseLane } from '../domain/delivery.ts'
import type { Category } from '../domain/event.ts'
import type { LaneCursor } from '../store/deliveries/due-deliveries.ts'
import { FIRST_LIMIT } from './breaker.ts'

/** Deliveries of a lane that wait in memory: four for each request that its endpoint may have in flight. */
const WINDOW_PER_REQUEST = 4
const MIN_WINDOW = 16

const START = { dueAt: 0, id: '' } as const

type Place = Pick<DueDelivery, 'dueAt' | 'id'>

export const isBefore = (a: Place, b: Place): boolean => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.id < b.id)

/** The part of an endpoint that its lanes use. */
export interface LaneEndpoint {
  readonly lanes: Set<Lane>
  readonly breaker: { readonly limit: number }
  readonly isDown: boolean
}

/** The deliveries of one category of one webhook, or of one number of one endpoint, that are in memory, in order. */
export class Lane {
  readonly key: string
  readonly shard: number
  readonly webhookId: string
  /** `null` for a lane of an endpoint. */
  readonly category: Category | null
  /** The number of a lane of an endpoint; empty for events of the account. */
  readonly number: string
  /** Due and not begun, in order. */
  readonly #queue: DueDelivery[] = []
  /** In the queue or in flight: a delivery that is read again does not begin again. */
  readonly #known = new Set<string>()
  /** Deliveries that a failing endpoint may have rejected for what they contain: others are tried first. */
  readonly #suspects = new Set<string>()
  /** The current endpoint; `undefined` until the webhook was read. */
  #endpoint: LaneEndpoint | undefined
  /** The place up to which it has been read. */
  #cursor: Place = START
  /** The database has more due deliveries. */
  #hasMore = false
  /** The last read returned as many rows as its limit. */
  #isDeep = false
  /** The last read returned all deliveries, and all later ones are known. */
  #isCaughtUp = false
  /** Deliveries were added since the current read began: its result may miss them. */
  #hasChanged = false
  #readWholeAt = Number.NEGATIVE_INFINITY
  #usedAt: number
  #isClosed = false

  constructor(key: string, shard: number, nowMs: number) {
    const { webhookId, category, number } = parseLane(key)
    this.key = key
    this.shard = shard
    this.webhookId = webhookId
    this.category = category
    this.number = number
    this.#usedAt = nowMs
  }

  /** The delivery that has been due the longest and has not begun. */
  get head(): DueDelivery | undefined {
    return this.#queue[this.#headAt]
  }

  get #headAt(): number {
    return this.#suspects.size === 0
      ? 0
      : Math.max(
          0,
          this.#queue.findIndex(({ id }) => !this.#suspects.has(id)),
        )
  }

  /** Its endpoint fails and is probed: deliveries wait although they are due. */
  get isHeld(): boolean {
    return this.#endpoint?.isDown ?? false
  }

  suspect(delivery: DueDelivery): void {
    this.#suspects.add(delivery.id)
  }

  clearSuspects(): void {
    this.#suspects.clear()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** No delivery is in memory or in flight. */
  get isEmpty(): boolean {
    return this.#known.size === 0
  }

  isIdleSince(ms: number): boolean {
    return this.isEmpty && this.#usedAt < ms
  }

  wasReadWholeBefore(ms: number): boolean {
    return this.#readWholeAt < ms
  }

  /** Half of the window is free, and the database has more. */
  get wantsReading(): boolean {
    return this.#hasMore && this.#queue.length <= this.#window / 2
  }

  get #window(): number {
    return Math.max(MIN_WINDOW, WINDOW_PER_REQUEST * (this.#endpoint?.breaker.limit ?? FIRST_LIMIT))
  }

  /** A transaction has added deliveries. Transactions overtake each other, so the cursor may have to move back. */
  wakeAt(dueAt: number): void {
    if (dueAt <= this.#cursor.dueAt) this.#cursor = { dueAt, id: '' }
    this.#markChanged()
  }

  readFromStart(nowMs: number): void {
    this.#cursor = START
    this.#readWholeAt = nowMs
    this.#markChanged()
  }

  #markChanged(): void {
    this.#hasMore = true
    this.#hasChanged = true
    this.#isCaughtUp = false
  }

  /**
   * Takes deliveries that a transaction has just added, if they are the next ones and fit; returns whether it did. If not,
   * they have to be read.
   */
  take(fresh: readonly DueDelivery[], nowMs: number): boolean {
    const isNext = this.#isCaughtUp && fresh[0] !== undefined && isBefore(this.#cursor, fresh[0])
    if (!isNext || this.#isClosed || this.#queue.length + fresh.length > this.#window) return false
    for (const delivery of fresh) {
      this.#enqueue(delivery)
      if (isBefore(this.#cursor, delivery)) this.#cursor = { dueAt: delivery.dueAt, id: delivery.id }
    }
    this.#usedAt = nowMs
    return true
  }

  /** The cursor of the next read. */
  beginReading(): LaneCursor {
    this.#hasChanged = false
    this.#isCaughtUp = false
    const { dueAt, id } = this.#cursor
    const limit = this.#window + (this.#cursor === START ? this.#known.size : 0)
    return { shard: this.shard, lane: this.key, dueAt, id, limit, deep: this.#isDeep }
  }

  /** Adds deliveries that were read and are not known yet, except those that ended meanwhile (`isDone`). */
  endReading(cursor: LaneCursor, rows: readonly DueDelivery[], isDone: (id: string) => boolean, nowMs: number): void {
    for (const row of rows) {
      if (!this.#hasChanged && isBefore(this.#cursor, row)) this.#cursor = { dueAt: row.dueAt, id: row.id }
      if (this.#known.has(row.id) || isDone(row.id)) continue
      this.#enqueue(row)
      this.#usedAt = nowMs
    }
    this.#isDeep = rows.length >= cursor.limit
    this.#hasMore = this.#hasChanged || this.#isDeep
    this.#isCaughtUp = !this.#hasMore
  }

  /** Its place is almost always at the end. */
  #enqueue(delivery: DueDelivery): void {
    this.#known.add(delivery.id)
    let at = this.#queue.length
    while (at > 0 && isBefore(delivery, this.#queue[at - 1]!)) at--
    this.#queue.splice(at, 0, delivery)
  }

  /** Takes the head out of the queue; it stays known until it has ended. */
  begin(): DueDelivery {
    return this.#queue.splice(this.#headAt, 1)[0]!
  }

  end(delivery: DueDelivery): void {
    this.#known.delete(delivery.id)
  }

  /** Returns a delivery that keeps its place to the queue. */
  putBack(delivery: DueDelivery): void {
    if (!this.#isClosed) this.#enqueue(delivery)
  }

  moveTo(endpoint: LaneEndpoint): void {
    if (this.#endpoint === endpoint) return
    this.#endpoint?.lanes.delete(this)
    this.#endpoint = endpoint
    endpoint.lanes.add(this)
  }

  /** No delivery of it begins any more. */
  close(): void {
    this.#isClosed = true
    this.#endpoint?.lanes.delete(this)
    this.#queue.length = 0
  }
}

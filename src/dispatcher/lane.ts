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

/** What a lane has to know of the endpoint where it stands. */
export interface Stand {
  readonly lanes: Set<Lane>
  readonly breaker: { readonly limit: number }
}

/** The deliveries of one category of one webhook, as far as they are in memory. It alone changes what it knows. */
export class Lane {
  readonly key: string
  readonly shard: number
  readonly webhookId: string
  readonly category: Category
  /** Due and not begun, in order. */
  readonly #queue: DueDelivery[] = []
  /** In the queue or in flight: what is read again is not begun again. */
  readonly #known = new Set<string>()
  /** Where its requests go now; unknown until its webhook has been read. */
  #endpoint: Stand | undefined
  /** The place up to which it has been read. */
  #cursor: Place = START
  /** The database holds more that is due. */
  #hasMore = false
  /** The last read found as many as it may bring. */
  #isDeep = false
  /** Its last read found all that the database held, and nothing has come in since that it does not know. */
  #isCaughtUp = false
  /** Something came in since the read under way began: what that read finds is not the last word. */
  #isStirred = false
  #readWholeAt = Number.NEGATIVE_INFINITY
  #usedAt: number
  #isClosed = false

  constructor(key: string, shard: number, nowMs: number) {
    const { webhookId, category } = parseLane(key)
    this.key = key
    this.shard = shard
    this.webhookId = webhookId
    this.category = category
    this.#usedAt = nowMs
  }

  /** The delivery that is due longest, and not begun. */
  get head(): DueDelivery | undefined {
    return this.#queue[0]
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Nothing of it is in memory or in flight. */
  get isEmpty(): boolean {
    return this.#known.size === 0
  }

  isIdleSince(ms: number): boolean {
    return this.isEmpty && this.#usedAt < ms
  }

  wasReadWholeBefore(ms: number): boolean {
    return this.#readWholeAt < ms
  }

  /** Half of what waits in memory is gone, and the database has more. */
  get wantsReading(): boolean {
    return this.#hasMore && this.#queue.length <= this.#window / 2
  }

  get #window(): number {
    return Math.max(MIN_WINDOW, WINDOW_PER_REQUEST * (this.#endpoint?.breaker.limit ?? FIRST_LIMIT))
  }

  /** A commit has brought something. Commits overtake each other: what is due before the place read last is read too. */
  wakeAt(dueAt: number): void {
    if (dueAt <= this.#cursor.dueAt) this.#cursor = { dueAt, id: '' }
    this.#stir()
  }

  readFromStart(nowMs: number): void {
    this.#cursor = START
    this.#readWholeAt = nowMs
    this.#stir()
  }

  #stir(): void {
    this.#hasMore = true
    this.#isStirred = true
    this.#isCaughtUp = false
  }

  /**
   * Takes what a commit has just brought, where that is next in line and there is room; answers whether it did. Else it has
   * to be read in its turn.
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

  /** What the next read has to ask for. */
  beginReading(): LaneCursor {
    this.#isStirred = false
    this.#isCaughtUp = false
    const { dueAt, id } = this.#cursor
    const limit = this.#window + (this.#cursor === START ? this.#known.size : 0)
    return { shard: this.shard, lane: this.key, dueAt, id, limit, deep: this.#isDeep }
  }

  /** Puts in their places what was read and is not known yet; `isDone` says what came to its end meanwhile. */
  endReading(asked: LaneCursor, rows: readonly DueDelivery[], isDone: (id: string) => boolean, nowMs: number): void {
    for (const row of rows) {
      if (!this.#isStirred && isBefore(this.#cursor, row)) this.#cursor = { dueAt: row.dueAt, id: row.id }
      if (this.#known.has(row.id) || isDone(row.id)) continue
      this.#enqueue(row)
      this.#usedAt = nowMs
    }
    this.#isDeep = rows.length >= asked.limit
    this.#hasMore = this.#isStirred || this.#isDeep
    this.#isCaughtUp = !this.#hasMore
  }

  /** Almost always its place is the end. */
  #enqueue(delivery: DueDelivery): void {
    this.#known.add(delivery.id)
    let at = this.#queue.length
    while (at > 0 && isBefore(delivery, this.#queue[at - 1]!)) at--
    this.#queue.splice(at, 0, delivery)
  }

  /** Takes the head out of the queue; it stays known until it has ended. */
  begin(): DueDelivery {
    return this.#queue.shift()!
  }

  end(delivery: DueDelivery): void {
    this.#known.delete(delivery.id)
  }

  standAt(endpoint: Stand): void {
    if (this.#endpoint === endpoint) return
    this.#endpoint?.lanes.delete(this)
    this.#endpoint = endpoint
    endpoint.lanes.add(this)
  }

  /** Nothing of it is begun any more. */
  close(): void {
    this.#isClosed = true
    this.#endpoint?.lanes.delete(this)
    this.#queue.length = 0
  }
}

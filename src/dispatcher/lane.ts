import { parseLane } from '../domain/delivery.ts'
import type { Category } from '../domain/event.ts'
import type { DueDelivery, LaneCursor } from '../store/units/deliveries.ts'
import type { Endpoint } from './turns.ts'

/** The deliveries of one category of one webhook, as far as they are in memory. */
export interface Lane {
  readonly key: string
  readonly shard: number
  readonly webhookId: string
  readonly category: Category
  /** Where its requests go now; unknown until its webhook has been read. */
  endpoint: Endpoint | undefined
  /** Due and not begun, in order. */
  readonly queue: DueDelivery[]
  /** In the queue or in flight: what is read again is not begun again. */
  readonly known: Set<string>
  /** The place up to which it has been read. */
  cursor: Pick<LaneCursor, 'dueAt' | 'id'>
  /** The database holds more that is due. */
  hasMore: boolean
  /** The last read found as many as it may bring. */
  deep: boolean
  /** Something came in since the read under way began: what that read finds is not the last word. */
  stirred: boolean
  readWholeAt: number
  usedAt: number
}

export const START = { dueAt: 0, id: '' } as const

export function newLane(key: string, shard: number): Lane {
  return {
    key,
    shard,
    ...parseLane(key),
    endpoint: undefined,
    queue: [],
    known: new Set(),
    cursor: START,
    hasMore: false,
    deep: false,
    stirred: false,
    readWholeAt: Number.NEGATIVE_INFINITY,
    usedAt: performance.now(),
  }
}

/** Puts a delivery in its place; almost always that is the end. */
export function enqueue(lane: Lane, delivery: DueDelivery): void {
  lane.known.add(delivery.id)
  let at = lane.queue.length
  while (at > 0 && isBefore(delivery, lane.queue[at - 1]!)) at--
  lane.queue.splice(at, 0, delivery)
}

type Place = Pick<DueDelivery, 'dueAt' | 'id'>

export const isBefore = (a: Place, b: Place): boolean => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.id < b.id)

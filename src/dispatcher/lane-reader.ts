import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { Context } from '../context.ts'
import type { Store } from '../store/store.ts'
import type { DueDelivery } from '../domain/delivery.ts'
import type { Lane } from './lane.ts'
import type { Placement } from './placement.ts'

const LANES_PER_READ = 128

interface ReaderDeps extends Pick<Context, 'log' | 'clock'> {
  store: Pick<Store, 'deliveries'>
  placement: Placement
}

/** Reads due deliveries into their lanes: many lanes with one query, one query at a time. */
export class LaneReader {
  readonly #deps: ReaderDeps
  readonly #unread = new Set<Lane>()
  /** Ended since the current read began: its result may still contain them. */
  readonly #endedMeanwhile = new Set<string>()
  #isReading = false

  constructor(deps: ReaderDeps) {
    this.#deps = deps
  }

  /** Reads the lane if the database has more of it and there is room in memory. */
  want(lane: Lane): void {
    if (lane.isClosed || !lane.wantsReading) return
    this.#unread.add(lane)
    if (this.#isReading) return
    this.#isReading = true
    void this.#readAll()
  }

  isWanted(lane: Lane): boolean {
    return this.#unread.has(lane)
  }

  ended(delivery: DueDelivery): void {
    if (this.#isReading) this.#endedMeanwhile.add(delivery.id)
  }

  async #readAll(): Promise<void> {
    // Lanes that other notifications name in this round are read with the same query.
    await yieldToEvents()
    try {
      while (this.#unread.size > 0) await this.#readBatch(this.#takeUnread())
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'deliveries.read_failed')
    }
    this.#isReading = false
  }

  #takeUnread(): Lane[] {
    const lanes = [...this.#unread].slice(0, LANES_PER_READ)
    for (const lane of lanes) this.#unread.delete(lane)
    return lanes.filter(lane => !lane.isClosed)
  }

  async #readBatch(lanes: Lane[]): Promise<void> {
    const { store, clock, placement } = this.#deps
    this.#endedMeanwhile.clear()
    const cursors = lanes.map(lane => lane.beginReading())
    const found = byLane(await store.deliveries.readDue(cursors))
    const isEnded = (id: string): boolean => this.#endedMeanwhile.has(id)
    for (const [i, lane] of lanes.entries()) {
      if (!lane.isClosed) lane.endReading(cursors[i]!, found.get(lane.key) ?? [], isEnded, clock.monotonicMs())
    }
    await Promise.all(lanes.map(lane => placement.place(lane)))
  }
}

function byLane(rows: DueDelivery[]): Map<string, DueDelivery[]> {
  const lanes = new Map<string, DueDelivery[]>()
  for (const row of rows) {
    const lane = lanes.get(row.lane)
    if (lane === undefined) lanes.set(row.lane, [row])
    else lane.push(row)
  }
  return lanes
}

import type { Clock } from '../runtime/clock.ts'
import { Lane } from './lane.ts'

const IDLE_LANE_MS = 5_000

/** The lanes in memory. */
export class Lanes {
  readonly #clock: Clock
  readonly #lanes = new Map<string, Lane>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  of(key: string, shard: number): Lane {
    let lane = this.#lanes.get(key)
    if (lane === undefined) this.#lanes.set(key, (lane = new Lane(key, shard, this.#clock.monotonicMs())))
    return lane
  }

  isHeld(key: string): boolean {
    return this.#lanes.get(key)?.isHeld ?? false
  }

  ofWebhook(webhookId: string): Lane[] {
    return [...this.#lanes.values()].filter(lane => lane.webhookId === webhookId)
  }

  /** Drops the lanes of a shard that this dispatcher no longer owns. */
  closeShard(shard: number): void {
    for (const lane of this.#lanes.values()) if (lane.shard === shard) this.#close(lane)
  }

  closeIdle(mayClose: (lane: Lane) => boolean): void {
    const before = this.#clock.monotonicMs() - IDLE_LANE_MS
    for (const lane of this.#lanes.values()) if (lane.isIdleSince(before) && mayClose(lane)) this.#close(lane)
  }

  #close(lane: Lane): void {
    lane.close()
    this.#lanes.delete(lane.key)
  }
}

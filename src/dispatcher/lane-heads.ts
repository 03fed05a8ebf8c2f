import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { Store } from '../store/store.ts'
import { type LaneHead, LANES_READ } from '../store/deliveries/due-deliveries.ts'

/** Every lane of these shards that holds anything, read in parts: other events go on in between. */
export async function* laneHeads(store: Pick<Store, 'deliveries'>, shards: number[]): AsyncGenerator<LaneHead> {
  let places = shards.map(shard => ({ shard, after: '' }))
  while (places.length > 0) {
    const heads = await store.deliveries.readLanes(places)
    yield* heads
    // Read lane by lane of all shards at once, so that a shard that is missing has none left.
    const last = new Map(heads.map(({ shard, lane }) => [shard, lane]))
    places = heads.length < LANES_READ ? [] : [...last].map(([shard, after]) => ({ shard, after }))
    await yieldToEvents()
  }
}

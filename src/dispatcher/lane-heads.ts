import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { Store } from '../store/store.ts'
import { type LaneHead, LANES_READ } from '../store/deliveries/due-deliveries.ts'

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

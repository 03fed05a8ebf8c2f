import { leaveShards, rebalanceShards } from './shards.ts'
import type { Call } from '../repository.ts'

/** Which dispatcher owns which shard of the deliveries. */
export interface ShardRepository {
  leaveShards: Call<typeof leaveShards>
  rebalanceShards: Call<typeof rebalanceShards>
}

export const shards = {
  reads: {},
  writes: {
    leaveShards,
    rebalanceShards,
  },
  batches: {},
}

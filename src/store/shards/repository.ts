import { leaveShards, tendShards } from './shards.ts'
import type { Call } from '../repository.ts'

/** Which dispatcher owns which shard of the deliveries. */
export interface ShardRepository {
  leaveShards: Call<typeof leaveShards>
  tendShards: Call<typeof tendShards>
}

export const shards = {
  reads: {},
  writes: {
    leaveShards,
    tendShards,
  },
  batches: {},
}

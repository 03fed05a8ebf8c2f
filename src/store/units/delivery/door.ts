import { sweepHistory } from '../retention/sweep-history.ts'
import { advanceReplay, listRunningReplays } from '../webhooks/replays.ts'
import { readDue, readLanes, readNextDue, readPayload, readEventFacts, readCurrentWebhooks } from './deliveries.ts'
import { recordAttempts } from './delivery-results.ts'
import { endHolder } from '../leases/holders.ts'
import { leaveShards, tendShards } from './shards.ts'

export const delivery = {
  reads: {
    listRunningReplays,
    readDue,
    readLanes,
    readNextDue,
    readPayload,
    readEventFacts,
    readCurrentWebhooks,
  },
  writes: {
    advanceReplay,
    endHolder,
    leaveShards,
    sweepHistory,
    tendShards,
  },
  batches: {
    recordAttempt: recordAttempts,
  },
}

import {
  recordHostHeartbeat,
  hasFreeSession,
  readHeld,
  readHosted,
  readWanted,
  releaseSessions,
  takeSessions,
} from './hosting.ts'
import type { BatchedCall, Call } from '../repository.ts'

/** Which host runs which number. */
export interface HostingRepository {
  recordHostHeartbeat: Call<typeof recordHostHeartbeat>
  hasFreeSession: Call<typeof hasFreeSession>
  readHeld: Call<typeof readHeld>
  readHosted: Call<typeof readHosted>
  readWanted: Call<typeof readWanted>
  releaseSession: BatchedCall<typeof releaseSessions>
  takeSessions: Call<typeof takeSessions>
}

export const hosting = {
  reads: {
    hasFreeSession,
    readHeld,
    readHosted,
    readWanted,
  },
  writes: {
    recordHostHeartbeat,
    takeSessions,
  },
  batches: {
    releaseSession: releaseSessions,
  },
}

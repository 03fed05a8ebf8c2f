import { addLeases, freeAllLeases, listLeases, readLeasesOf, releaseLeases, takeLease } from './leases.ts'
import { recordHeartbeat, endLeaseOwner } from './lease-owners.ts'
import type { Call } from '../repository.ts'

/** Leases, and the heartbeats of the processes that own them. */
export interface LeaseRepository {
  addLeases: Call<typeof addLeases>
  recordHeartbeat: Call<typeof recordHeartbeat>
  endLeaseOwner: Call<typeof endLeaseOwner>
  freeAllLeases: Call<typeof freeAllLeases>
  listLeases: Call<typeof listLeases>
  readLeasesOf: Call<typeof readLeasesOf>
  releaseLeases: Call<typeof releaseLeases>
  takeLease: Call<typeof takeLease>
}

export const leases = {
  reads: {
    listLeases,
    readLeasesOf,
  },
  writes: {
    addLeases,
    recordHeartbeat,
    endLeaseOwner,
    freeAllLeases,
    releaseLeases,
    takeLease,
  },
  batches: {},
}

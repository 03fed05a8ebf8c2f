import { addLeases, freeAllLeases, listLeases, readHeldBy, releaseLeases, takeLease } from './leases.ts'
import { beat, endHolder } from './lease-owners.ts'
import type { Call } from '../repository.ts'

/** Leases, and the heartbeats of the processes that own them. */
export interface LeaseRepository {
  addLeases: Call<typeof addLeases>
  beat: Call<typeof beat>
  endHolder: Call<typeof endHolder>
  freeAllLeases: Call<typeof freeAllLeases>
  listLeases: Call<typeof listLeases>
  readHeldBy: Call<typeof readHeldBy>
  releaseLeases: Call<typeof releaseLeases>
  takeLease: Call<typeof takeLease>
}

export const leases = {
  reads: {
    listLeases,
    readHeldBy,
  },
  writes: {
    addLeases,
    beat,
    endHolder,
    freeAllLeases,
    releaseLeases,
    takeLease,
  },
  batches: {},
}

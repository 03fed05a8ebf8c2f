import { beat, endHolder } from './holders.ts'
import { addLeases, readHeldBy, releaseLeases, takeLease } from './leases.ts'

export const leases = {
  reads: {
    readHeldBy,
  },
  writes: {
    addLeases,
    beat,
    endHolder,
    releaseLeases,
    takeLease,
  },
  batches: {},
}

import { addLeases, releaseLeases, renewLeases, takeLease } from './leases.ts'

export const leases = {
  reads: {},
  writes: {
    addLeases,
    releaseLeases,
    renewLeases,
    takeLease,
  },
  batches: {},
}

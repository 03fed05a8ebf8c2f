import { addLeases, releaseLeases, renewLeases, takeLeases } from './leases.ts'

export const leases = {
  reads: {},
  writes: {
    addLeases,
    releaseLeases,
    renewLeases,
    takeLeases,
  },
  batches: {},
}

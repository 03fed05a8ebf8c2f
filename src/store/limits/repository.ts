import { countApiNodes, syncRequestMeters, closeAccountStream, openAccountStream } from './request-meters.ts'
import type { Call } from '../repository.ts'

/** Request limits and open streams that all processes share. */
export interface LimitRepository {
  closeAccountStream: Call<typeof closeAccountStream>
  countApiNodes: Call<typeof countApiNodes>
  openAccountStream: Call<typeof openAccountStream>
  syncRequestMeters: Call<typeof syncRequestMeters>
}

export const limits = {
  reads: {
    countApiNodes,
  },
  writes: {
    closeAccountStream,
    openAccountStream,
    syncRequestMeters,
  },
  batches: {},
}

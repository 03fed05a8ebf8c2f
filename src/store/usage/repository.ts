import { readStats } from './stats.ts'
import { foldUsage, readUsage } from './usage.ts'
import type { Call } from '../repository.ts'

/** Daily usage and the figures of the overview. */
export interface UsageRepository {
  foldUsage: Call<typeof foldUsage>
  readStats: Call<typeof readStats>
  readUsage: Call<typeof readUsage>
}

export const usage = {
  reads: {
    readStats,
    readUsage,
  },
  writes: {
    foldUsage,
  },
  batches: {},
}

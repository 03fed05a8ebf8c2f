import { dropExpiredRows, readExpiredRows } from './expired-rows.ts'
import { dropExpired, dropMessages, dropMeters, dropExpiredHosting } from './drop-expired.ts'
import { dropExpiredHistory } from './history.ts'
import type { Call } from '../repository.ts'

/** Deletes what is past its retention time. */
export interface RetentionRepository {
  dropExpired: Call<typeof dropExpired>
  dropMessages: Call<typeof dropMessages>
  dropMeters: Call<typeof dropMeters>
  dropExpiredRows: Call<typeof dropExpiredRows>
  readExpiredRows: Call<typeof readExpiredRows>
  dropExpiredHistory: Call<typeof dropExpiredHistory>
  dropExpiredHosting: Call<typeof dropExpiredHosting>
}

export const retention = {
  reads: {
    readExpiredRows,
  },
  writes: {
    dropExpired,
    dropMessages,
    dropMeters,
    dropExpiredRows,
    dropExpiredHistory,
    dropExpiredHosting,
  },
  batches: {},
}

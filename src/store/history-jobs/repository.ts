import type { Call } from '../repository.ts'
import { addHistoryJob, dropHistoryJob, findWaitingHistory, getHistoryJob } from './history-jobs.ts'

/** Requests to phones for older messages. `publishItems` records what arrives. */
export interface HistoryJobRepository {
  addHistoryJob: Call<typeof addHistoryJob>
  dropHistoryJob: Call<typeof dropHistoryJob>
  findWaitingHistory: Call<typeof findWaitingHistory>
  getHistoryJob: Call<typeof getHistoryJob>
}

export const historyJobs = {
  reads: { findWaitingHistory, getHistoryJob },
  writes: { addHistoryJob, dropHistoryJob },
  batches: {},
}

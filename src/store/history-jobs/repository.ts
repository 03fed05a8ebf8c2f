import type { Call } from '../repository.ts'
import { addHistoryJob, dropHistoryJob, getHistoryJob } from './history-jobs.ts'

/** Requests to phones for older messages. The inbox records what arrives. */
export interface HistoryJobRepository {
  addHistoryJob: Call<typeof addHistoryJob>
  dropHistoryJob: Call<typeof dropHistoryJob>
  getHistoryJob: Call<typeof getHistoryJob>
}

export const historyJobs = {
  reads: { getHistoryJob },
  writes: { addHistoryJob, dropHistoryJob },
  batches: {},
}

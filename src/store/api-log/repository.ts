import { addApiLog, getLoggedRequest, listApiLog } from './api-log.ts'
import type { Call } from '../repository.ts'

/** The requests that each account made, kept for three days. */
export interface ApiLogRepository {
  addApiLog: Call<typeof addApiLog>
  getLoggedRequest: Call<typeof getLoggedRequest>
  listApiLog: Call<typeof listApiLog>
}

export const apiLog = {
  reads: {
    getLoggedRequest,
    listApiLog,
  },
  writes: {
    addApiLog,
  },
  batches: {},
}

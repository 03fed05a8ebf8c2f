import { keepTraces, readTraces } from './traces.ts'
import type { BatchedCall, Call } from '../repository.ts'

/** Trace contexts, so that another process continues the trace. */
export interface TraceRepository {
  keepTrace: BatchedCall<typeof keepTraces>
  readTraces: Call<typeof readTraces>
}

export const traces = {
  reads: {
    readTraces,
  },
  writes: {},
  batches: {
    keepTrace: keepTraces,
  },
}

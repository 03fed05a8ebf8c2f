import { keepTraces, readTraces } from './traces.ts'

/** Asked for only where spans are collected. */
export const tracing = {
  reads: {
    readTraces,
  },
  writes: {},
  batches: {
    keepTrace: keepTraces,
  },
}

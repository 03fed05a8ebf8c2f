import type { Log } from '../log.ts'
import type { Store } from '../../store/store.ts'
import type { TraceOf } from '../../store/traces/traces.ts'

interface Deps {
  store: Pick<Store, 'traces'>
  log: Log
}

/** The `traceparent` of each of these that belongs to a trace. Tracing never causes a failure. */
export async function tracesOf({ store, log }: Deps, ids: string[]): Promise<Map<string, string>> {
  try {
    const found = await store.traces.readTraces(ids)
    return new Map(found.map(({ id, traceparent }) => [id, traceparent]))
  } catch (error) {
    log.info({ err: error }, 'traces.read_failed')
    return new Map()
  }
}

/** Stores the trace of these, so that another process can continue it. */
export async function keepTraces({ store, log }: Deps, traces: TraceOf[]): Promise<void> {
  try {
    await Promise.all(traces.map(trace => store.traces.keepTrace(trace)))
  } catch (error) {
    log.info({ err: error }, 'traces.write_failed')
  }
}

import { KEPT_MS } from '../../domain/retention.ts'
import type { Reader, Tx } from '../transaction.ts'

/** The trace that a command or an event is part of. */
export interface TraceOf {
  /** The id of the command or the event. */
  id: string
  traceparent: string
  /** When its work begins; `null`: at once. */
  fromMs: number | null
}

export async function keepTraces(tx: Tx, traces: TraceOf[]): Promise<null[]> {
  if (traces.length === 0) return []
  const rows = traces.map(({ id, traceparent, fromMs }) => ({
    id,
    traceparent,
    expires_at: Math.max(tx.nowMs, fromMs ?? 0) + KEPT_MS.traces,
  }))
  await tx.insert('traces', rows, 'on conflict (id) do nothing')
  return traces.map(() => null)
}

export async function readTraces(reader: Reader, ids: string[]): Promise<Array<Pick<TraceOf, 'id' | 'traceparent'>>> {
  if (ids.length === 0) return []
  const r = reader.ids(ids)
  return await reader.all(`select t.id, t.traceparent from ${r.sql} r join traces t on t.id = r.id`, ...r.params)
}

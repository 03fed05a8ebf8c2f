import type { Tx } from '../transaction.ts'
import { type AttemptResult, idsOf } from './attempt-result.ts'

/** Deliveries that left the queue, and whether each carried its payload. */
export type Removed = ReadonlyMap<string, boolean>

/** A result that is not the next one of its delivery removes nothing. */
export async function removeFinished(tx: Tx, results: AttemptResult[]): Promise<Removed> {
  if (results.length === 0) return new Map()
  const r = tx.values(
    { id: 'text', attempt: 'bigint' },
    results.map(result => ({ id: result.deliveryId, attempt: result.attemptsBefore })),
  )
  const named = tx.among('id', idsOf(results))
  const rows = await tx.all<{ id: string; carried: number }>(
    `delete from deliveries where (id, attempt) in (select id, attempt from ${r.sql} r)${named.sql}
     returning id, case when sealed is null then 0 else 1 end as carried`,
    ...r.params,
    ...named.params,
  )
  return new Map(rows.map(row => [row.id, row.carried === 1]))
}

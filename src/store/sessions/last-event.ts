import type { Tx } from '../transaction.ts'

/** The time of a busy number's last event is as precise as this: otherwise each event would write its row. */
const PRECISION_MS = 1_000

/** Events of these numbers are published. */
export async function touchSessions(tx: Tx, sessionIds: readonly string[]): Promise<void> {
  const ids = [...new Set(sessionIds)].sort()
  if (ids.length === 0) return
  const r = tx.ids(ids)
  await tx.run(
    `update sessions set last_event_at = ? where id in (select id from ${r.sql} r) and coalesce(last_event_at, 0) < ?`,
    tx.nowMs,
    ...r.params,
    tx.nowMs - PRECISION_MS,
  )
}

import type { SessionLease } from '../../domain/lease.ts'
import type { Reader, Tx } from '../transaction.ts'
import { type Fenced, heldLeases } from '../leases/fence.ts'

/** A number has a few at a time. */
const MOST_UNFINISHED = 10_000
/** So many are read by one query. */
const PAGE = 2_500

/** How often a session's unfinished messages were begun. */
export async function readMessageTries(
  reader: Reader,
  sessionId: string,
): Promise<Array<{ key: string; tries: number }>> {
  const found: Array<{ key: string; tries: number }> = []
  for (let after = ''; found.length < MOST_UNFINISHED; after = found.at(-1)!.key) {
    // In the order of the key's columns: PostgreSQL would rather sort all rows of the number.
    const page = await reader.all<{ key: string; tries: number }>(
      `select key, tries from unfinished_messages where (session_id, key) > (?, ?) and session_id <= ?
       order by session_id, key limit ${PAGE}`,
      sessionId,
      after,
      sessionId,
    )
    found.push(...page)
    if (page.length < PAGE) break
  }
  return found
}

/**
 * Records how often messages were begun; 0 forgets a message. The counts are whole values, so that repeating the write
 * after an unknown outcome changes nothing.
 */
export async function recordMessageTries(
  tx: Tx,
  input: { lease: SessionLease; tries: Array<{ key: string; tries: number }> },
): Promise<Fenced> {
  if (!(await heldLeases(tx, [input.lease]))(input.lease)) return 'lost'
  const { id: sessionId } = input.lease
  const counted = input.tries.filter(({ tries }) => tries > 0).sort((a, b) => (a.key < b.key ? -1 : 1))
  await tx.insert(
    'unfinished_messages',
    counted.map(({ key, tries }) => ({ session_id: sessionId, key, tries, tried_at: tx.nowMs })),
    'on conflict (session_id, key) do update set tries = excluded.tries, tried_at = excluded.tried_at',
  )
  const finished = input.tries.filter(({ tries }) => tries <= 0).map(({ key }) => key)
  await forgetTries(tx, [{ lease: input.lease, finished }])
  return 'done'
}

/** Forgets the tries of finished messages. */
export async function forgetTries(tx: Tx, changes: Array<{ lease: SessionLease; finished?: string[] }>): Promise<void> {
  const rows = changes.flatMap(({ lease, finished = [] }) => finished.map(key => ({ session_id: lease.id, key })))
  if (rows.length === 0) return
  const r = tx.values({ session_id: 'text', key: 'text' }, rows)
  await tx.run(
    `delete from unfinished_messages where (session_id, key) in (select session_id, key from ${r.sql} r)`,
    ...r.params,
  )
}

import type { SessionLease } from '../../domain/lease.ts'
import type { Reader, Tx } from '../transaction.ts'
import { type Fenced, heldLeases } from '../leases/fence.ts'

/** How often a session's messages were begun that never came to an end. */
export async function readMessageTries(
  reader: Reader,
  sessionId: string,
): Promise<Array<{ key: string; tries: number }>> {
  return await reader.all('select key, tries from unfinished_messages where session_id = ?', sessionId)
}

/** Counts tries of messages, by the holder of the session's lease; one whose count comes to nothing is forgotten. */
export async function countMessageTries(
  tx: Tx,
  input: { lease: SessionLease; keys: string[]; by: 1 | -1 },
): Promise<Fenced> {
  if (!(await heldLeases(tx, [input.lease]))(input.lease)) return 'lost'
  const sessionId = input.lease.id
  const keys = [...new Set(input.keys)].sort()
  if (input.by === 1) {
    await tx.insert(
      'unfinished_messages',
      keys.map(key => ({ session_id: sessionId, key, tries: 1, tried_at: tx.nowMs })),
      `on conflict (session_id, key) do update
         set tries = unfinished_messages.tries + 1, tried_at = excluded.tried_at`,
    )
    return 'done'
  }
  const r = keyTable(tx, keys)
  const these = `session_id = ? and key in (select key from ${r.sql} r)`
  await tx.run(`update unfinished_messages set tries = tries - 1 where ${these}`, sessionId, ...r.params)
  await tx.run(`delete from unfinished_messages where tries <= 0 and ${these}`, sessionId, ...r.params)
  return 'done'
}

/** Forgets the tries of messages that came to their end. */
export async function forgetTries(tx: Tx, changes: Array<{ lease: SessionLease; finished?: string[] }>): Promise<void> {
  const rows = changes.flatMap(({ lease, finished = [] }) => finished.map(key => ({ session_id: lease.id, key })))
  if (rows.length === 0) return
  const r = tx.values({ session_id: 'text', key: 'text' }, rows)
  await tx.run(
    `delete from unfinished_messages where (session_id, key) in (select session_id, key from ${r.sql} r)`,
    ...r.params,
  )
}

const keyTable = (tx: Tx, keys: string[]) =>
  tx.values(
    { key: 'text' },
    keys.map(key => ({ key })),
  )

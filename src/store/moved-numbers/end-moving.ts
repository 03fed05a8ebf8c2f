import type { Tx } from '../transaction.ts'

/**
 * The number is linked again in this gateway: no import fills its tables any more, and what waited when it left is
 * published by the gateway that has it.
 */
export async function endMoving(tx: Tx, sessionId: string): Promise<void> {
  const row = await tx.get<{ exportedAt: number | null; importing: string | null }>(
    `select exported_at as "exportedAt", importing from moved_numbers where session_id = ?${tx.forUpdate}`,
    sessionId,
  )
  if (row === undefined || (row.exportedAt === null && row.importing === null)) return
  await tx.run(
    'update moved_numbers set exported_at = null, importing = null, importing_at = null where session_id = ?',
    sessionId,
  )
  await tx.run('delete from inbox where session_id = ? and done_at is null', sessionId)
}

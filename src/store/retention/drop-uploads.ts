import type { Tx } from '../transaction.ts'
import { deleteSome } from './delete-some.ts'

/** Parts are large. */
const PARTS_PER_SLICE = 32

/**
 * Removes some of a file that was uploaded and is past its time, and the file with its last part. From then on nobody
 * can have it. `false`: there is none, or others hold what is left of it.
 */
export async function dropUploads(tx: Tx): Promise<boolean> {
  const past = await tx.get<{ id: string }>(
    `select id from uploads where expires_at <= ? order by expires_at limit 1${tx.skipLocked}`,
    tx.nowMs,
  )
  if (past === undefined) return false
  await tx.run('update uploads set parts = 0, expires_at = 0 where id = ?', past.id)
  const parts = { table: 'upload_parts', where: 'upload_id = ?', atMost: PARTS_PER_SLICE }
  const removed = await deleteSome(tx, parts, past.id)
  const isGone = await tx.run(
    'delete from uploads where id = ? and not exists (select 1 from upload_parts p where p.upload_id = uploads.id)',
    past.id,
  )
  return removed + isGone > 0
}

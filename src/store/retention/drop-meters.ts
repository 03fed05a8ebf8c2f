import { KEPT_MS } from '../../domain/retention.ts'
import type { Tx } from '../transaction.ts'
import { tryJobLock } from './job-lock.ts'

const SLICE = 1_000

/**
 * Looks at some meters, behind the one given, and drops those that nobody has used for long. They are updated all the
 * time, so that no index knows when. Answers the last that was looked at, `null` at the end.
 */
export async function dropMeters(tx: Tx, input: { afterId: string }): Promise<string | null> {
  if (!(await tryJobLock(tx, 'drop_meters'))) return null
  const before = tx.nowMs - KEPT_MS.requestMeters
  const looked = await tx.all<{ id: string; tokens_at: number }>(
    `select id, tokens_at from request_meters where id > ? order by id limit ${SLICE}`,
    input.afterId,
  )
  const unused = looked.filter(({ tokens_at }) => tokens_at < before).map(({ id }) => id)
  if (unused.length > 0) {
    const r = tx.ids(unused)
    await tx.run(
      `delete from request_meters where id in (
         select id from request_meters where id in (select r.id from ${r.sql} r) and tokens_at < ?${tx.skipLocked})`,
      ...r.params,
      before,
    )
  }
  return looked.length < SLICE ? null : looked.at(-1)!.id
}

import { KEPT_MS } from '../../domain/retention.ts'
import type { Tx } from '../transaction.ts'
import { dropSilentHolders } from '../leases/lease-owners.ts'
import { tryJobLock } from './job-lock.ts'
import { dropOld } from './drop-old.ts'

/** Rows that one round removes from each table: a commit stays short. */
const ROUND = 250

/** Removes some of what has outlived its time; answers whether there may be more, so that the caller comes again at once. */
export async function dropExpiredHosting(tx: Tx): Promise<boolean> {
  if (!(await tryJobLock(tx, 'sweep_hosting'))) return false
  const old = (table: string, time: string, keptMs: number) => ({
    table,
    time,
    before: tx.nowMs - keptMs,
    atMost: ROUND,
  })
  const more = await dropOld(tx, [
    old('unfinished_messages', 'tried_at', KEPT_MS.unfinishedMessages),
    old('sent_messages', 'expires_at', 0),
    old('pairings', 'expires_at', KEPT_MS.pairings),
  ])
  await dropSilentHolders(tx, tx.nowMs - KEPT_MS.hosts)
  return (await dropLeases(tx)) || more
}

/** Of numbers that are gone. What is deleted is looked at once more: a number may be linked again at this moment. */
async function dropLeases(tx: Tx): Promise<boolean> {
  const before = tx.nowMs - KEPT_MS.leases
  const removed = await tx.run(
    `delete from leases where kind = 'session' and changed_at < ? and owner is null and id in (
       select l.id from leases l where l.kind = 'session' and l.changed_at < ? and l.owner is null
         and not exists (select 1 from sessions s where s.id = l.id) limit ${ROUND})`,
    before,
    before,
  )
  return removed === ROUND
}

import { KEPT_MS } from '../../../domain/retention.ts'
import type { Tx } from '../../tx.ts'
import { dropOld } from './drop-old.ts'

/** Rows that one round removes from each table: a commit stays short. */
const ROUND = 2_000

/** Removes what has outlived its time; answers how many rows, so that the caller comes again soon when there are more. */
export async function sweepHosting(tx: Tx): Promise<number> {
  const old = (table: string, key: string, time: string, keptMs: number) =>
    dropOld(tx, { table, key, time, beforeMs: tx.nowMs - keptMs, atMost: ROUND })
  const unfinished = await old('unfinished_messages', 'session_id, key', 'tried_at', KEPT_MS.unfinishedMessages)
  const sent = await old('sent_messages', 'session_id, platform_id', 'expires_at', 0)
  const pairings = await old('pairings', 'id', 'expires_at', KEPT_MS.pairings)
  const leases = await dropLeases(tx)
  const hosts = await old('hosts', 'id', 'seen_at', KEPT_MS.hosts)
  return unfinished + sent + pairings + leases + hosts
}

/** Of numbers that are gone. What is deleted is looked at once more: a number may be linked again at this moment. */
async function dropLeases(tx: Tx): Promise<number> {
  const before = tx.nowMs - KEPT_MS.leases
  return await tx.run(
    `delete from leases where kind = 'session' and expires_at < ? and owner is null and id in (
       select l.id from leases l where l.kind = 'session' and l.expires_at < ? and l.owner is null
         and not exists (select 1 from sessions s where s.id = l.id) limit ${ROUND})`,
    before,
    before,
  )
}

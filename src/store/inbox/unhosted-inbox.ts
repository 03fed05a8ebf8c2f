import { leftPool, type SessionLease } from '../../domain/lease.ts'
import type { Reader, Tx } from '../transaction.ts'
import type { HostIdentity } from '../hosting/hosting.ts'
import { hasFreeLease, takeLeases } from '../leases/leases.ts'

/** A logged-out device, which no host has a link for, with received items that are not published yet. */
export interface UnhostedInbox {
  lease: SessionLease
  accountId: string
  device: number
  /** Sealed. */
  proxy: Uint8Array | null
}

/** If a host has not processed a lease that it took within this time, the database's response to it was lost. */
const RESPONSE_LOST_AFTER_MS = 60_000

/** Whether there is one to take, or one that this host took and did not release because the database was unreachable. */
export async function hasUnhostedInbox(reader: Reader, { id: owner, platform }: HostIdentity): Promise<boolean> {
  const pool = leftPool(platform)
  if (await hasFreeLease(reader, pool)) return true
  const own = `select 1 as own from leases where owner = ? and pool = ? and changed_at < ${reader.nowSql} - ? limit 1`
  return (await reader.get(own, owner, pool, RESPONSE_LOST_AFTER_MS)) !== undefined
}

/**
 * Takes the leases of such devices, so that one host alone publishes their items. Also returns those that this host took
 * before, if the response was lost. A device without waiting items, or without a session, leaves the pool for ever.
 */
export async function takeUnhostedInboxes(
  tx: Tx,
  { id: owner, platform, limit }: HostIdentity & { limit: number },
): Promise<UnhostedInbox[]> {
  await takeLeases(tx, { owner, pool: leftPool(platform), limit })
  const rows = await tx.all<Omit<UnhostedInbox, 'lease'> & { id: string; epoch: number; waits: number }>(
    `select l.id, l.epoch, s.account_id as "accountId", s.device, s.proxy, case when s.id is not null and exists (
       select 1 from inbox i where i.session_id = s.id and i.done_at is null) then 1 else 0 end as waits
     from leases l left join sessions s on s.id = l.id
     where l.owner = ? and l.kind = 'session' and l.pool = ? and (l.changed_at = ? or l.changed_at < ?)`,
    owner,
    leftPool(platform),
    tx.nowMs,
    tx.nowMs - RESPONSE_LOST_AFTER_MS,
  )
  for (const row of rows) if (row.waits === 0) await leavePool(tx, row.id)
  return rows
    .filter(row => row.waits === 1)
    .map(({ id, epoch, waits: _waits, ...rest }) => ({ lease: { kind: 'session', id, epoch, owner }, ...rest }))
}

async function leavePool(tx: Tx, sessionId: string): Promise<void> {
  await tx.run(
    "update leases set owner = null, pool = null, changed_at = ? where kind = 'session' and id = ?",
    tx.nowMs,
    sessionId,
  )
}

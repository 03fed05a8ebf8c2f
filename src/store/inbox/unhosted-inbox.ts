import { leftPool, type SessionLease } from '../../domain/lease.ts'
import type { Reader, Tx } from '../transaction.ts'
import type { HostIdentity } from '../hosting/hosting.ts'
import { hasFreeLease, takeLeases } from '../leases/leases.ts'

/** A device that is logged out, so that nobody hosts it, and has received something that is not told yet. */
export interface UnhostedInbox {
  lease: SessionLease
  accountId: string
  device: number
}

/** Whoever takes a device hears of it within this time, or never. */
const UNHEARD_MS = 60_000

/** Whether there is one to take, or one that this host took and could not give back: the database was away. */
export async function hasUnhostedInbox(reader: Reader, { id: owner, platform }: HostIdentity): Promise<boolean> {
  if (await hasFreeLease(reader, leftPool(platform))) return true
  const own = 'select 1 as own from leases where owner = ? and pool = ? limit 1'
  return (await reader.get(own, owner, leftPool(platform))) !== undefined
}

/**
 * Takes the leases of such devices, so that one host alone tells of what they received. A device that has left nothing
 * is looked at once and never again.
 */
export async function takeUnhostedInboxes(
  tx: Tx,
  { id: owner, platform, limit }: HostIdentity & { limit: number },
): Promise<UnhostedInbox[]> {
  await takeLeases(tx, { owner, pool: leftPool(platform), limit })
  // Those too that were taken before, where nobody heard of it.
  const rows = await tx.all<{ id: string; epoch: number; accountId: string; device: number; waits: number }>(
    `select l.id, l.epoch, s.account_id as "accountId", s.device, case when exists (
       select 1 from inbox i where i.session_id = s.id and i.done_at is null) then 1 else 0 end as waits
     from leases l join sessions s on s.id = l.id
     where l.owner = ? and l.kind = 'session' and l.pool = ? and (l.changed_at = ? or l.changed_at < ?)`,
    owner,
    leftPool(platform),
    tx.nowMs,
    tx.nowMs - UNHEARD_MS,
  )
  for (const row of rows) if (row.waits === 0) await dropLeft(tx, row.id)
  return rows
    .filter(row => row.waits === 1)
    .map(({ id, epoch, accountId, device }) => ({ lease: { kind: 'session', id, epoch, owner }, accountId, device }))
}

async function dropLeft(tx: Tx, sessionId: string): Promise<void> {
  await tx.run(
    "update leases set owner = null, pool = null, changed_at = ? where kind = 'session' and id = ?",
    tx.nowMs,
    sessionId,
  )
}

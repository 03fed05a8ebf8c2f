import { type Lease, SESSION_ID_SQL, sessionIdOf } from '../../../domain/lease.ts'
import type { PlatformName } from '../../../domain/session.ts'
import type { Reader, Tx } from '../../tx.ts'
import { nowSql } from '../clock.ts'
import { type HostIdentity } from '../hosting/hosting.ts'

/** A device that is logged out and has received something that is not told yet. */
export interface UnhostedInbox {
  lease: Lease
  accountId: string
  device: number
}

const FREE_AND_WAITING = `l.resource like 'session:%' and s.platform = ? and s.state = 'logged_out'
  and exists (select 1 from inbox i where i.session_id = s.id and i.done_at is null)`

export async function hasUnhostedInbox(reader: Reader, platform: PlatformName): Promise<boolean> {
  const row = await reader.get(
    `select 1 as found from sessions s join leases l on l.resource = 'session:' || s.id
     where ${FREE_AND_WAITING} and l.expires_at <= ${nowSql(reader)} limit 1`,
    platform,
  )
  return row !== undefined
}

/** Takes the leases of such devices, so that one host alone tells of what they received. */
export async function takeUnhostedInboxes(
  tx: Tx,
  input: HostIdentity & { limit: number; ttlMs: number },
): Promise<UnhostedInbox[]> {
  const skipLocked = tx.dialect === 'postgres' ? ' for update of l skip locked' : ''
  const leases = await tx.all<Lease>(
    `update leases set owner = ?, epoch = epoch + 1, expires_at = ? where resource in (
       select l.resource from leases l join sessions s on s.id = ${SESSION_ID_SQL}
       where ${FREE_AND_WAITING} and l.expires_at <= ? order by l.resource limit ?${skipLocked})
     returning resource, epoch`,
    input.id,
    tx.nowMs + input.ttlMs,
    input.platform,
    tx.nowMs,
    input.limit,
  )
  const taken: UnhostedInbox[] = []
  for (const lease of leases) {
    const session = await tx.get<{ accountId: string; device: number }>(
      'select account_id as "accountId", device from sessions where id = ?',
      sessionIdOf(lease),
    )
    if (session) taken.push({ lease, ...session })
  }
  return taken
}

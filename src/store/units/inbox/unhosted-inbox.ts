import type { SessionLease } from '../../../domain/lease.ts'
import type { PlatformName } from '../../../domain/session.ts'
import type { Reader, Tx } from '../../tx.ts'
import type { HostIdentity } from '../hosting/hosting.ts'

/** A device that is logged out, so that nobody hosts it, and has received something that is not told yet. */
export interface UnhostedInbox {
  lease: SessionLease
  accountId: string
  device: number
}

/** Of a lease `l`: its device is of the network, logged out, and has something to tell. */
const HAS_WAITING = `exists (
  select 1 from sessions s where s.id = l.id and s.platform = ? and s.state = 'logged_out'
    and exists (select 1 from inbox i where i.session_id = s.id and i.done_at is null))`

export async function hasUnhostedInbox(reader: Reader, platform: PlatformName): Promise<boolean> {
  const row = await reader.get(
    `select 1 as found from leases l
     where l.kind = 'session' and l.expires_at <= ${reader.nowSql} and ${HAS_WAITING} limit 1`,
    platform,
  )
  return row !== undefined
}

/** Takes the leases of such devices, so that one host alone tells of what they received. */
export async function takeUnhostedInboxes(
  tx: Tx,
  input: HostIdentity & { limit: number; ttlMs: number },
): Promise<UnhostedInbox[]> {
  const leases = await tx.all<SessionLease>(
    `update leases set owner = ?, epoch = epoch + 1, expires_at = ? where kind = 'session' and id in (
       select l.id from leases l where l.kind = 'session' and l.expires_at <= ? and ${HAS_WAITING}
       order by l.id limit ?${tx.skipLocked})
     returning kind, id, epoch`,
    input.id,
    tx.nowMs + input.ttlMs,
    tx.nowMs,
    input.platform,
    input.limit,
  )
  const taken: UnhostedInbox[] = []
  for (const lease of leases) {
    const session = await tx.get<{ accountId: string; device: number }>(
      'select account_id as "accountId", device from sessions where id = ?',
      lease.id,
    )
    if (session) taken.push({ lease, ...session })
  }
  return taken
}

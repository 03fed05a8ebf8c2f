import type { Ban } from '../../domain/session.ts'
import type { SessionLease } from '../../domain/lease.ts'
import type { LinkMemory, LinkTrouble } from '../../domain/link-watch.ts'
import type { Tx } from '../transaction.ts'
import { insertEvents, type NewEvent } from '../events/events.ts'
import { type Fenced, heldLeases } from '../leases/fence.ts'

export interface LinkStateChange {
  lease: SessionLease
  memory: LinkMemory
  /** Why the link is down. */
  trouble: LinkTrouble | null
  /** The connection event of the change, if it has one. */
  event: NewEvent | null
  /** The platform has banned the number, and no login has succeeded since. */
  ban?: Ban | null
  /** The event of a ban that is new or over. */
  health?: NewEvent | null
}

/** Records the state of a link and publishes its event in one transaction. */
export async function recordLink(tx: Tx, change: LinkStateChange): Promise<Fenced> {
  const { lease, memory, trouble, event, ban = null, health = null } = change
  if (!(await heldLeases(tx, [lease]))(lease)) return 'lost'
  const id = lease.id
  // A write with an unknown outcome is repeated.
  const events = [event, health].filter(each => each !== null)
  const [first] = events
  if (first !== undefined && (await isPublished(tx, id, first.id))) return 'done'
  await insertEvents(tx, events)
  await tx.run(
    `update sessions set state = ?, down_since = ?, last_connection_event = ?, link_reason = ?, link_until = ?, ban = ?,
       told_event_id = coalesce(?, told_event_id),
       connected_at = case when ? = 1 then ? else connected_at end,
       last_event_at = case when ? = 1 then ? else last_event_at end where id = ?`,
    memory.state,
    memory.downSince,
    memory.reported,
    trouble?.reason ?? null,
    trouble?.until ?? null,
    ban === null ? null : JSON.stringify(ban),
    first?.id ?? null,
    memory.state === 'connected' ? 1 : 0,
    tx.nowMs,
    first !== undefined ? 1 : 0,
    tx.nowMs,
    id,
  )
  if (memory.state === 'logged_out') await leavePool(tx, id)
  tx.notify({ about: 'sessions', sessionId: id })
  return 'done'
}

async function isPublished(tx: Tx, sessionId: string, eventId: string): Promise<boolean> {
  return (
    (await tx.get('select 1 as reported from sessions where id = ? and told_event_id = ?', sessionId, eventId)) !==
    undefined
  )
}

/** No host runs it any more; any host of the network publishes its remaining items. */
async function leavePool(tx: Tx, sessionId: string): Promise<void> {
  await tx.run(
    `update leases set pool = (select s.platform || '/left' from sessions s where s.id = leases.id), changed_at = ?
     where kind = 'session' and id = ?`,
    tx.nowMs,
    sessionId,
  )
}

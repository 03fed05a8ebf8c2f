import type { ConnectionEvent } from '../../../domain/event.ts'
import type { SessionLease } from '../../../domain/lease.ts'
import { roomFor, type Shared } from '../../../domain/fair-share.ts'
import type { Addressing, PlatformName, SessionState } from '../../../domain/session.ts'
import type { Reader, Tx } from '../../tx.ts'
import { heldLeases } from '../leases/fence.ts'
import { releaseLeases, renewLeases } from '../leases/leases.ts'
import { OPEN } from '../sessions/pairings.ts'

/** Some part of a worker that runs sessions of one network. */
export interface HostIdentity {
  /** Owner of its leases. */
  id: string
  nodeId: string
  platform: PlatformName
}

/** A session as its host needs it. */
export interface HostedRow {
  id: string
  accountId: string
  device: number
  state: SessionState
  downSince: number | null
  told: ConnectionEvent['event'] | null
  linkReason: string | null
  linkUntil: number | null
  autoReject: number
  autoRejectMessage: Uint8Array | null
  paceMs: number
  addressing: Addressing
  restrictedUntil: number | null
}

const HOSTED = `s.id, s.account_id as "accountId", s.device, s.state, s.down_since as "downSince",
  s.last_connection_event as told, s.link_reason as "linkReason", s.link_until as "linkUntil", s.auto_reject as "autoReject", s.auto_reject_message as "autoRejectMessage",
  s.pace_ms as "paceMs", s.addressing, s.restricted_until as "restrictedUntil"`

export interface TakenSession {
  lease: SessionLease
  session: HostedRow
}

async function readShared(tx: Tx, input: { platform: PlatformName; ttlMs: number }): Promise<Shared> {
  return (await tx.get<Shared>(
    `select (select count(*) from sessions where platform = ? and state <> 'logged_out') as sessions,
       (select count(*) from hosts where platform = ? and seen_at > ?) as hosts`,
    input.platform,
    input.platform,
    tx.nowMs - input.ttlMs,
  ))!
}

/** Of a lease `l`: its session is of the network, and linked. */
const IS_TO_BE_HOSTED = `exists (
  select 1 from sessions s where s.id = l.id and s.platform = ? and s.state <> 'logged_out')`

/**
 * Takes sessions of a network that nobody holds, up to a fair share. Their link counts as down from now, unless it was down before: the
 * new host keeps counting where the old one left off.
 */
export async function takeSessions(
  tx: Tx,
  input: HostIdentity & { held: number; ttlMs: number },
): Promise<TakenSession[]> {
  const limit = roomFor(input.held, await readShared(tx, input))
  if (limit === 0) return []
  const leases = await tx.all<SessionLease>(
    `update leases set owner = ?, epoch = epoch + 1, expires_at = ? where kind = 'session' and id in (
       select l.id from leases l where l.kind = 'session' and l.expires_at <= ? and ${IS_TO_BE_HOSTED}
       order by l.expires_at, l.id limit ?${tx.skipLocked})
     returning kind, id, epoch`,
    input.id,
    tx.nowMs + input.ttlMs,
    tx.nowMs,
    input.platform,
    limit,
  )
  if (leases.length === 0) return []
  return await openHosted(tx, leases)
}

/** What a new holder of these leases must know. */
export async function openHosted(tx: Tx, leases: SessionLease[]): Promise<TakenSession[]> {
  const byId = new Map(leases.map(lease => [lease.id, lease]))
  const r = tx.ids([...byId.keys()].sort())
  await tx.run(
    `update sessions set down_since = coalesce(down_since, ?),
       state = case when state = 'connected' then 'connecting' else state end where id in (select id from ${r.sql} r)`,
    tx.nowMs,
    ...r.params,
  )
  const rows = await tx.all<HostedRow>(
    `select ${HOSTED} from sessions s where s.id in (select id from ${r.sql} r)`,
    ...r.params,
  )
  for (const row of rows) tx.notify({ about: 'sessions', sessionId: row.id })
  return rows.map(session => ({ lease: byId.get(session.id)!, session }))
}

export interface Renewal extends Shared {
  held: SessionLease[]
}

/** Says that the host lives, renews what it holds, and tells how much there is to share. */
export async function renewHost(
  tx: Tx,
  input: HostIdentity & { leases: SessionLease[]; ttlMs: number },
): Promise<Renewal> {
  const held = await renewLeases(tx, { owner: input.id, leases: input.leases, ttlMs: input.ttlMs })
  await tx.insert(
    'hosts',
    [
      {
        id: input.id,
        node_id: input.nodeId,
        platform: input.platform,
        sessions: input.leases.length,
        seen_at: tx.nowMs,
      },
    ],
    'on conflict (id) do update set sessions = excluded.sessions, seen_at = excluded.seen_at',
  )
  return { held, ...(await readShared(tx, input)) }
}

/** Gives sessions back at once, for others to take. */
export async function releaseSessions(tx: Tx, input: { owner: string; leases: SessionLease[] }): Promise<void> {
  await releaseLeases(tx, input)
  for (const lease of input.leases) tx.notify({ about: 'sessions', sessionId: lease.id })
}

/** A host that has ended, by its will or not, holds nothing any more. */
export async function endHost(tx: Tx, id: string): Promise<void> {
  await tx.run('update leases set owner = null, expires_at = 0 where owner = ?', id)
  await tx.run('delete from hosts where id = ?', id)
  await tx.run('update pairings set claimed_until = 0 where owner = ?', id)
  tx.notify({ about: 'hosts' })
}

/** Whether a session of the network waits for a host. */
export async function hasFreeSession(reader: Reader, platform: PlatformName): Promise<boolean> {
  const row = await reader.get(
    `select 1 as free from leases l
     where l.kind = 'session' and l.expires_at <= ${reader.nowSql} and ${IS_TO_BE_HOSTED} limit 1`,
    platform,
  )
  return row !== undefined
}

/** Networks that have something to host or to pair: a host for the others need not be started. */
export async function readWantedPlatforms(reader: Reader): Promise<PlatformName[]> {
  const rows = await reader.all<{ platform: PlatformName }>(
    `select platform from sessions where state <> 'logged_out'
     union select platform from pairings where ${OPEN} and expires_at > ${reader.nowSql}
     union select s.platform from sessions s where s.state = 'logged_out' and (
       exists (select 1 from commands c where c.session_id = s.id)
       or exists (select 1 from requests q where q.session_id = s.id)
       or exists (select 1 from inbox i where i.session_id = s.id and i.done_at is null))`,
  )
  return rows.map(row => row.platform)
}

/** The settings of hosted sessions as they are now. */
export async function readHosted(reader: Reader, sessionIds: string[]): Promise<HostedRow[]> {
  if (sessionIds.length === 0) return []
  const r = reader.ids(sessionIds)
  return await reader.all<HostedRow>(`select ${HOSTED} from ${r.sql} r join sessions s on s.id = r.id`, ...r.params)
}

/** The number may not write to strangers until then. */
export async function restrictSession(tx: Tx, input: { lease: SessionLease; untilMs: number }): Promise<boolean> {
  if (!(await heldLeases(tx, [input.lease]))(input.lease)) return false
  const id = input.lease.id
  await tx.run('update sessions set restricted_until = ? where id = ?', input.untilMs, id)
  tx.notify({ about: 'sessions', sessionId: id })
  return true
}

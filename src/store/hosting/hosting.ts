import type { ConnectionEvent } from '../../domain/event.ts'
import { leftPool, type SessionLease, sessionLease } from '../../domain/lease.ts'
import { roomFor } from '../../domain/fair-share.ts'
import type { Addressing, Appear, PlatformName, SessionState } from '../../domain/session.ts'
import type { Reader, Tx } from '../transaction.ts'
import { recordHeartbeat, type Heartbeat, type LivingLeaseOwner, readLeaseOwners } from '../leases/lease-owners.ts'
import { countFreeLeases, hasFreeLease, releaseLeases, takeLeases } from '../leases/leases.ts'
import { OPEN } from '../pairings/pairings.ts'

/** A host: the part of a worker that runs the numbers of one network. */
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
  reported: ConnectionEvent['event'] | null
  linkReason: string | null
  linkUntil: number | null
  autoReject: number
  autoRejectMessage: Uint8Array | null
  /** JSON of a `Pace`. */
  pace: string | null
  addressing: Addressing
  appear: Appear
  paused: number
  /** Sealed. */
  proxy: Uint8Array | null
  /** 1 if a program receives typing or presence of the number. */
  isWatched: number
  /** 1 if a program has asked for the chats of the number, or an endpoint gets their changes. */
  followsChats: number
  restrictedUntil: number | null
  /** JSON of a `Ban`. */
  ban: string | null
}

const hostedColumns = (reader: Reader): string => `s.id, s.account_id as "accountId", s.device, s.state,
  s.down_since as "downSince", s.last_connection_event as reported, s.link_reason as "linkReason",
  s.link_until as "linkUntil", s.auto_reject as "autoReject", s.auto_reject_message as "autoRejectMessage",
  s.pace, s.addressing, s.appear, s.paused, s.proxy, s.restricted_until as "restrictedUntil", s.ban,
  case when exists (
    select 1 from webhooks w where w.session_id = s.id and w.active = 1 and w.events_url <> ''
  ) or exists (
    select 1 from presence_subscriptions p where p.session_id = s.id
  ) or exists (
    select 1 from listeners l where l.account_id = s.account_id and l.expires_at > ${reader.nowSql}
      and (l.kinds is null or l.kinds like '%"typing"%' or l.kinds like '%"presence"%')
  ) or exists (
    select 1 from endpoints e where e.account_id = s.account_id and e.active = 1
      and coalesce(e.direction, 'in') = 'in'
      and (e.kinds like '%"typing"%' or e.kinds like '%"presence"%')
      and (e.session_ids is null or e.session_ids like '%"' || s.id || '"%')
  ) then 1 else 0 end as "isWatched",
  case when s.chats_since is not null or exists (
    select 1 from endpoints e where e.account_id = s.account_id and e.active = 1
      and (e.include like '%"chat"%' or e.kinds like '%"chat"%')
      and (e.session_ids is null or e.session_ids like '%"' || s.id || '"%')
  ) then 1 else 0 end as "followsChats"`

export interface TakenSession {
  lease: SessionLease
  session: HostedRow
}

/** The hosts of a network and its free leases. */
async function readPool(tx: Tx, platform: PlatformName) {
  return { owners: await readLeaseOwners(tx, platform), free: await countFreeLeases(tx, platform) }
}

/**
 * Takes free sessions of a network, up to a fair share and at most `limit`. Their link counts as down from now, unless it
 * was down before: the new host continues the old one's count.
 */
export async function takeSessions(
  tx: Tx,
  { id: owner, platform, limit }: HostIdentity & { limit: number },
): Promise<TakenSession[]> {
  const pool = await readPool(tx, platform)
  const own = pool.owners.find(each => each.id === owner)
  if (own === undefined) return []
  const leases = await takeLeases<'session'>(tx, {
    owner,
    pool: platform,
    limit: Math.min(limit, roomFor(own, pool)),
  })
  return leases.length === 0 ? [] : await openHosted(tx, leases)
}

/** The sessions of leases that were just taken, as their new host needs them. */
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
    `select ${hostedColumns(tx)} from sessions s where s.id in (select id from ${r.sql} r)`,
    ...r.params,
  )
  for (const row of rows) tx.notify({ about: 'sessions', sessionId: row.id })
  return rows.map(session => ({ lease: byId.get(session.id)!, session }))
}

export interface HostHeartbeat extends Heartbeat {
  /** Sessions of its network that wait for a host. */
  free: number
}

/** Records the heartbeat of a host and returns the hosts and free sessions of its network. */
export async function recordHostHeartbeat(
  tx: Tx,
  host: LivingLeaseOwner & { pool: PlatformName },
): Promise<HostHeartbeat> {
  return { ...(await recordHeartbeat(tx, host)), free: await countFreeLeases(tx, host.pool) }
}

/** Releases sessions, so that other hosts can take them at once. */
export async function releaseSessions(tx: Tx, leases: SessionLease[]): Promise<void[]> {
  for (const owner of [...new Set(leases.map(lease => lease.owner))].sort())
    await releaseLeases(
      tx,
      leases.filter(lease => lease.owner === owner),
    )
  return leases.map(lease => tx.notify({ about: 'sessions', sessionId: lease.id }))
}

/** Whether a session of the network waits for a host. */
export const hasFreeSession = (reader: Reader, platform: PlatformName): Promise<boolean> =>
  hasFreeLease(reader, platform)

/** The work on a network. */
export interface Wanted {
  platform: PlatformName
  /** Sessions to be hosted. */
  sessions: number
  /** Processes that host some of them. */
  nodes: number
}

/** Networks with sessions to host or to pair: the others need no host. */
export async function readWanted(reader: Reader, platforms: PlatformName[]): Promise<Wanted[]> {
  const wanted: Wanted[] = []
  for (const platform of platforms) {
    const { leases, nodes } = (await reader.get<{ leases: number; nodes: number }>(
      `select coalesce(sum(leases), 0) as leases, count(distinct node_id) as nodes from holders where pool = ?`,
      platform,
    ))!
    const sessions = leases + (await countFreeLeases(reader, platform))
    if (sessions > 0 || (await hasOtherWork(reader, platform))) wanted.push({ platform, sessions, nodes })
  }
  return wanted
}

/**
 * Whether there are pairings, leases that their host has not counted yet, or items that logged-out devices left behind.
 * A host counts a number that it linked at its next heartbeat. If it dies before, a new host has to find that it died.
 */
async function hasOtherWork(reader: Reader, platform: PlatformName): Promise<boolean> {
  if (await hasFreeLease(reader, leftPool(platform))) return true
  const uncounted = await reader.get(
    'select 1 as found from holders h where h.pool = ? and exists (select 1 from leases l where l.owner = h.id) limit 1',
    platform,
  )
  if (uncounted !== undefined) return true
  const row = await reader.get(
    `select 1 as found where exists (
       select 1 from pairings where platform = ? and ${OPEN} and expires_at > ${reader.nowSql})
     or exists (
       select 1 from sessions s where s.state = 'logged_out' and s.platform = ? and (
         exists (select 1 from commands c where c.session_id = s.id)
         or exists (select 1 from requests q where q.session_id = s.id)))`,
    platform,
    platform,
  )
  return row !== undefined
}

/** The leases of sessions that a host owns. */
export async function readHeld(
  reader: Reader,
  { id: owner, platform }: Pick<HostIdentity, 'id' | 'platform'>,
): Promise<SessionLease[]> {
  const rows = await reader.all<{ id: string; epoch: number }>(
    "select id, epoch from leases where owner = ? and kind = 'session' and pool = ?",
    owner,
    platform,
  )
  return rows.map(({ id, epoch }) => ({ ...sessionLease(id), epoch, owner }))
}

/** The settings of hosted sessions as they are now. */
export async function readHosted(reader: Reader, sessionIds: string[]): Promise<HostedRow[]> {
  if (sessionIds.length === 0) return []
  const r = reader.ids(sessionIds)
  return await reader.all<HostedRow>(
    `select ${hostedColumns(reader)} from ${r.sql} r join sessions s on s.id = r.id`,
    ...r.params,
  )
}

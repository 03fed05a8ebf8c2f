import { sessionLease } from '../../domain/lease.ts'
import type { Addressing, Appear, Ban, NewChatCap, PlatformName, Session, SessionState } from '../../domain/session.ts'
import { type Pace, withPause } from '../../domain/pace.ts'
import { releaseHeld } from '../commands/holds.ts'
import { endMoving } from '../moved-numbers/end-moving.ts'
import type { Reader, Tx } from '../transaction.ts'
import { endDeliveries } from '../webhooks/webhooks.ts'
import { type Page, type PageRequest, toPage } from '../page.ts'
import { BOUNDS } from '../../domain/bounds.ts'

interface SessionRow {
  id: string
  account_id: string
  phone: string
  device: number
  label: string
  platform: PlatformName
  state: SessionState
  auto_reject: number
  auto_reject_message: Uint8Array | null
  pace: string | null
  addressing: Addressing
  appear: Appear
  paused: number
  proxy: Uint8Array | null
  restricted_until: number | null
  restriction_type: string | null
  restricted_at: number | null
  new_chat_cap: string | null
  ban: string | null
  link_reason: string | null
  link_until: number | null
  created_at: number
  connected_at: number | null
  last_event_at: number | null
  hosted: number | null
}

type SettingsRow = Pick<
  SessionRow,
  'account_id' | 'label' | 'auto_reject' | 'auto_reject_message' | 'pace' | 'addressing' | 'appear' | 'paused' | 'proxy'
>

/** A session as it is stored; the auto-reject message and the proxy are sealed. */
export type StoredSession = Omit<Session, 'autoRejectMessage'> & {
  autoRejectMessage: Uint8Array | null
  proxy: Uint8Array | null
}

const select = (reader: Reader): string =>
  `select s.id, s.account_id, s.phone, s.device, s.label, s.platform, s.state, s.auto_reject, s.auto_reject_message,
     s.pace, s.addressing, s.appear, s.paused, s.proxy, s.restricted_until, s.restriction_type, s.restricted_at, s.new_chat_cap, s.ban, s.link_reason, s.link_until,
     s.created_at, s.connected_at, s.last_event_at, h.beat as hosted
   from sessions s left join leases l on l.kind = 'session' and l.id = s.id
     left join holders h on h.id = l.owner and h.lasts_until > ${reader.nowSql}`

export interface NewSession {
  accountId: string
  id: string
  phone: string
  device: number
  label: string
  platform: PlatformName
  /** Sealed; without it the number keeps the proxy that it has in this account. */
  proxy?: Uint8Array | null
  /** The account's limit for numbers of this kind, real or sandbox; `null` for none. */
  maxSessions: number | null
}

/**
 * Registers a linked number. A number belongs to one account: linking it in another account moves it and turns the old
 * account's webhook off; linking it again in the same account restores its settings. `full`: the account's limit is
 * reached.
 */
export async function registerSession(tx: Tx, input: NewSession): Promise<'registered' | 'full'> {
  const before = await tx.get<Pick<SessionRow, 'account_id' | 'platform' | 'state'>>(
    `select account_id, platform, state from sessions where id = ?${tx.forUpdate}`,
    input.id,
  )
  if (!isCounted(before, input) && (await isFull(tx, input))) return 'full'
  if (before !== undefined && before.account_id !== input.accountId) await deletePast(tx, input.id)
  await endMoving(tx, input.id)
  const row = {
    id: input.id,
    account_id: input.accountId,
    phone: input.phone,
    device: input.device,
    label: input.label,
    platform: input.platform,
    state: 'connecting',
    auto_reject: 0,
    proxy: input.proxy ?? null,
    created_at: tx.nowMs,
  }
  await tx.insert(
    'sessions',
    [row],
    `on conflict (id) do update set account_id = excluded.account_id, device = excluded.device, label = excluded.label,
       platform = excluded.platform, state = 'connecting',
       proxy = coalesce(excluded.proxy, sessions.proxy), restricted_until = null, restriction_type = null, restricted_at = null,
       new_chat_cap = null, ban = null,
       link_reason = null, link_until = null, down_since = null, last_connection_event = null`,
  )
  const left = await tx.all<{ id: string }>(
    'update webhooks set active = 0 where session_id = ? and account_id <> ? and active = 1 returning id',
    input.id,
    input.accountId,
  )
  await endDeliveries(
    tx,
    left.map(({ id }) => id),
  )
  await tx.run('update webhooks set active = 1 where session_id = ? and account_id = ?', input.id, input.accountId)
  await tx.insert(
    'leases',
    [{ ...sessionLease(input.id), owner: null, epoch: 0, pool: input.platform, changed_at: tx.nowMs }],
    // Retention of old leases does not see the number yet, but it sees that the lease is new.
    'on conflict (kind, id) do update set pool = excluded.pool, changed_at = excluded.changed_at',
  )
  tx.notify({ about: 'sessions', sessionId: input.id })
  return 'registered'
}

/** Tables with a number's received items and its memory. */
export const PAST = [
  'inbox',
  'unfinished_messages',
  'sent_messages',
  'seen_messages',
  'presence_subscriptions',
  'sandbox_payloads',
  'refusals',
  'first_messages',
  'chats',
  'chat_labels',
  'labels',
  'history_jobs',
]

/** Deletes what a number received, remembers and has to do: it belongs to the account that had the number. */
export async function deletePast(tx: Tx, sessionId: string): Promise<void> {
  for (const table of PAST) {
    await tx.run(`delete from ${table} where session_id = ?`, sessionId)
  }
  await tx.run('delete from sessions where id = ?', sessionId)
}

const LINKED_NUMBERS =
  "select count(*) as n from sessions where account_id = ? and platform <> 'sandbox' and state <> 'logged_out'"

const SANDBOX_NUMBERS = "select count(*) as n from sessions where account_id = ? and platform = 'sandbox'"

/** Whether the account's limit counts the number already; it does not count a logged-out device. */
function isCounted(
  before: Pick<SessionRow, 'account_id' | 'platform' | 'state'> | undefined,
  { accountId, platform }: NewSession,
): boolean {
  if (before === undefined || before.account_id !== accountId) return false
  if (platform === 'sandbox') return before.platform === 'sandbox'
  return before.platform !== 'sandbox' && before.state !== 'logged_out'
}

/** The account is locked while its numbers are counted, so that concurrent pairings cannot exceed the limit. */
export async function isFull(
  tx: Tx,
  { accountId, platform, maxSessions }: Pick<NewSession, 'accountId' | 'platform' | 'maxSessions'>,
): Promise<boolean> {
  if (maxSessions === null) return false
  await tx.get(`select id from accounts where id = ?${tx.forUpdate}`, accountId)
  return (await countNumbers(tx, { accountId, platform })) >= maxSessions
}

export interface SessionChange {
  id: string
  accountId: string
  label?: string
  autoReject?: { enabled: boolean; message: Uint8Array | null }
  /** Replaces the whole pace; `null` ends it. */
  pace?: Pace | null
  /** Changes only the pause between messages. */
  paceMs?: number
  addressing?: Addressing
  appear?: Appear
  paused?: boolean
  /** Sealed; `null` removes it. */
  proxy?: Uint8Array | null
}

/** `foreign`: the number no longer belongs to the account. */
export async function updateSession(tx: Tx, change: SessionChange): Promise<'updated' | 'foreign'> {
  const row = await tx.get<SettingsRow>(
    `select account_id, label, auto_reject, auto_reject_message, pace, addressing, appear, paused, proxy from sessions
     where id = ?${tx.forUpdate}`,
    change.id,
  )
  if (row === undefined || row.account_id !== change.accountId) return 'foreign'
  const pace = paceAfter(row, change)
  await tx.run(
    `update sessions set label = ?, auto_reject = ?, auto_reject_message = ?, pace = ?, addressing = ?, appear = ?,
       paused = ?, proxy = ? where id = ?`,
    change.label ?? row.label,
    change.autoReject === undefined ? row.auto_reject : change.autoReject.enabled ? 1 : 0,
    change.autoReject === undefined ? row.auto_reject_message : change.autoReject.message,
    pace,
    change.addressing ?? row.addressing,
    change.appear ?? row.appear,
    change.paused === undefined ? row.paused : change.paused ? 1 : 0,
    change.proxy === undefined ? row.proxy : change.proxy,
    change.id,
  )
  tx.notify({ about: 'sessions', sessionId: change.id })
  if (pace !== row.pace) await endPace(tx, change.id)
  return 'updated'
}

function paceAfter(row: Pick<SessionRow, 'pace'>, { pace, paceMs }: SessionChange): string | null {
  if (pace !== undefined) return pace === null ? null : JSON.stringify(pace)
  if (paceMs === undefined) return row.pace
  const changed = withPause(readPace(row), paceMs)
  return changed === null ? null : JSON.stringify(changed)
}

/** Messages that waited because of the old pace are decided again. */
async function endPace(tx: Tx, sessionId: string): Promise<void> {
  await tx.run('update sessions set paced_until = null where id = ?', sessionId)
  await releaseHeld(tx, { sessionId })
}

const readPace = ({ pace }: Pick<SessionRow, 'pace'>): Pace | null =>
  pace === null ? null : (JSON.parse(pace) as Pace)

export async function getSession(reader: Reader, id: string): Promise<StoredSession | undefined> {
  const row = await reader.get<SessionRow>(`${select(reader)} where s.id = ?`, id)
  return row && toSession(row)
}

/** The account's numbers that count toward its limit of that kind. */
export async function countNumbers(
  reader: Reader,
  input: { accountId: string; platform: PlatformName },
): Promise<number> {
  const counted = input.platform === 'sandbox' ? SANDBOX_NUMBERS : LINKED_NUMBERS
  return (await reader.get<{ n: number }>(counted, input.accountId))!.n
}

export async function listSessions(
  reader: Reader,
  input: { accountId: string; sessionIds: string[] | null } & PageRequest,
): Promise<Page<StoredSession>> {
  const allowed = reader.ids(input.sessionIds ?? [])
  const filter = input.sessionIds === null ? '' : `and (s.id in (select a.id from ${allowed.sql} a)) is true`
  const rows = await reader.all<SessionRow>(
    `${select(reader)} where s.account_id = ? and s.id > ? ${filter} order by s.id limit ?`,
    input.accountId,
    input.cursor ?? '',
    ...(input.sessionIds === null ? [] : allowed.params),
    input.limit + 1,
  )
  return toPage(rows, input.limit, row => row.id, toSession)
}

function toSession(row: SessionRow): StoredSession {
  return {
    id: row.id,
    accountId: row.account_id,
    phone: row.phone,
    device: row.device,
    label: row.label,
    platform: row.platform,
    state: row.state,
    autoReject: row.auto_reject === 1,
    autoRejectMessage: row.auto_reject_message,
    pace: readPace(row),
    addressing: row.addressing,
    appear: row.appear,
    paused: row.paused === 1,
    proxy: row.proxy,
    restrictedUntil: row.restricted_until,
    restrictionType: row.restriction_type,
    restrictedAt: row.restricted_at,
    newChatCap: row.new_chat_cap === null ? null : (JSON.parse(row.new_chat_cap) as NewChatCap),
    ban: row.ban === null ? null : (JSON.parse(row.ban) as Ban),
    linkReason: row.link_reason,
    linkUntil: row.link_until,
    createdAt: row.created_at,
    connectedAt: row.connected_at,
    lastEventAt: row.last_event_at,
    hosted: row.hosted !== null,
  }
}

/**
 * Adds a contact whose presence a session follows; its host makes the subscription. Beyond the limit the oldest is
 * removed, and not made again when the link opens.
 */
export async function addSubscription(tx: Tx, input: { sessionId: string; contactJid: string }): Promise<void> {
  await tx.get(`select id from sessions where id = ?${tx.forUpdate}`, input.sessionId)
  await tx.insert(
    'presence_subscriptions',
    [{ session_id: input.sessionId, contact_jid: input.contactJid, created_at: tx.nowMs }],
    'on conflict (session_id, contact_jid) do update set created_at = excluded.created_at',
  )
  await tx.run(
    `delete from presence_subscriptions where session_id = ? and contact_jid in (
       select contact_jid from presence_subscriptions where session_id = ?
       order by created_at desc, contact_jid desc limit 1000 offset ${BOUNDS.presenceSubscriptions})`,
    input.sessionId,
    input.sessionId,
  )
  tx.notify({ about: 'sessions', sessionId: input.sessionId })
}

export async function readSubscriptions(reader: Reader, sessionId: string): Promise<string[]> {
  const rows = await reader.all<{ contact_jid: string }>(
    'select contact_jid from presence_subscriptions where session_id = ? order by created_at',
    sessionId,
  )
  return rows.map(row => row.contact_jid)
}

interface NumberCount {
  platform: PlatformName
  state: SessionState
  isHosted: boolean
  n: number
}

type Counted = Omit<NumberCount, 'isHosted'>

/** The numbers by platform, state and whether they are hosted: all, and the hosted ones by their leases. */
export async function countNumbersByState(reader: Reader): Promise<NumberCount[]> {
  const all = await reader.all<Counted>('select platform, state, count(*) as n from sessions group by platform, state')
  const hostedOf = new Map<string, number>()
  for (let first: string | null = ''; first !== null; ) {
    const next = await nextPage(reader, first)
    for (const { platform, state, n } of await countHosted(reader, first, next)) {
      const name = `${platform} ${state}`
      hostedOf.set(name, (hostedOf.get(name) ?? 0) + n)
    }
    first = next
  }
  return all
    .flatMap(({ platform, state, n }) => {
      const hosted = Math.min(n, hostedOf.get(`${platform} ${state}`) ?? 0)
      return [
        { platform, state, isHosted: true, n: hosted },
        { platform, state, isHosted: false, n: n - hosted },
      ]
    })
    .filter(({ n }) => n > 0)
}

/** Leases that one query reads: all of them at once would hold up the embedded database. */
const LEASES_READ = 10_000

/** The first number of the next page of leases, `null` if there is none. */
async function nextPage(reader: Reader, first: string): Promise<string | null> {
  const row = await reader.get<{ id: string }>(
    `select id from leases where kind = 'session' and id >= ? order by id limit 1 offset ${LEASES_READ}`,
    first,
  )
  return row?.id ?? null
}

async function countHosted(reader: Reader, first: string, next: string | null): Promise<Counted[]> {
  return await reader.all<Counted>(
    `select s.platform, s.state, count(*) as n from leases l join sessions s on s.id = l.id
     where l.kind = 'session' and l.id >= ? ${next === null ? '' : 'and l.id < ?'}
       and l.owner in (select id from holders where lasts_until > ${reader.nowSql})
     group by s.platform, s.state`,
    first,
    ...(next === null ? [] : [next]),
  )
}

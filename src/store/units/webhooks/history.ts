import { type Plan, retentionMs } from '../../../domain/account.ts'
import type { Attempt, DeliveryEntry, DeliveryStatus } from '../../../domain/delivery.ts'
import type { HistoryType } from '../../../domain/event.ts'
import { BOUNDS } from '../../../domain/bounds.ts'
import { firstIdAt } from '../../../domain/ids.ts'
import type { Reader, Tx, Value } from '../../tx.ts'
import { type Page, type PageRequest, toPage } from '../page.ts'

export interface HistoryFilter {
  accountId: string
  /** The sessions that the key may see; `null` is all of the account. */
  sessionIds: string[] | null
  sessionId?: string
  eventType?: HistoryType
  status?: DeliveryStatus
  webhookId?: string
  sinceMs?: number
  untilMs?: number
  /** Entries that changed at this time or later. */
  changedSinceMs?: number
}

type EntryRow = Omit<DeliveryEntry, 'attempts'> & { attempts: string; liveAttempts: string | null }

const COMMON = `id, account_id, event_id, webhook_id, session_id, kind, event_type, category, dedupe_id, origin,
  attempts, created_at, updated_at, redacted`
const RING = `select ${COMMON}, status, cast(null as text) as reason, cast(null as bigint) as redelivered_at from history`
const LETTERS = `select ${COMMON}, 'dead' as status, reason, redelivered_at from dead_letters`

/** Entries of the ring, of the dead letters, or of both as one table. */
const select = (entries: string): string =>
  `select h.id, h.account_id as "accountId", h.event_id as "eventId", h.webhook_id as "webhookId",
    h.session_id as "sessionId", h.kind, h.event_type as "eventType", h.category, h.dedupe_id as "dedupeId", h.status,
    h.reason, h.origin, h.attempts, d.attempts as "liveAttempts", d.due_at as "nextAttemptAt",
    h.redelivered_at as "redeliveredAt", h.created_at as "createdAt", h.updated_at as "updatedAt", h.redacted
  from (${entries}) h left join deliveries d on d.id = h.id`

/** The account's entries, newest first, as far back as its plan keeps them. */
export async function listDeliveries(
  reader: Reader,
  { limit, cursor, ...filter }: HistoryFilter & PageRequest,
): Promise<Page<DeliveryEntry>> {
  const { sql, params } = conditionsOf(reader, filter, cursor, await oldestKept(reader, filter.accountId))
  const more = limit + 1
  // Each part is cut by itself, so that many dead letters cost no more than few; changes are few, and found by time.
  const isCut = filter.changedSinceMs === undefined
  const cut = isCut ? ' order by id desc limit ?' : ''
  const cutAt = isCut ? [more] : []
  const parts: string[] = []
  const values: Value[] = []
  if (filter.status !== 'dead') {
    const status = filter.status === undefined ? '' : ' and status = ?'
    parts.push(`select * from (${RING} where ${sql}${status}${cut}) r`)
    values.push(...params, ...(filter.status === undefined ? [] : [filter.status]), ...cutAt)
  }
  if (filter.status === undefined || filter.status === 'dead') {
    parts.push(`select * from (${LETTERS} where ${sql} and event_type is not null${cut}) l`)
    values.push(...params, ...cutAt)
  }
  const rows = await reader.all<EntryRow>(
    `${select(parts.join(' union all '))} order by h.id desc limit ?`,
    ...values,
    more,
  )
  return toPage(rows, limit, row => row.id, toEntry)
}

function conditionsOf(
  reader: Reader,
  filter: HistoryFilter,
  cursor: string | null,
  oldestMs: number,
): { sql: string; params: Value[] } {
  const conditions = ['account_id = ?', 'created_at >= ?']
  const params: Value[] = [filter.accountId, oldestMs]
  const where = (condition: string, value: Value | undefined) => {
    if (value === undefined) return
    conditions.push(condition)
    params.push(value)
  }
  where('id < ?', cursor ?? undefined)
  where('session_id = ?', filter.sessionId)
  where('event_type = ?', filter.eventType)
  where('webhook_id = ?', filter.webhookId)
  where('created_at >= ?', filter.sinceMs)
  where('created_at <= ?', filter.untilMs)
  where('updated_at >= ?', filter.changedSinceMs)
  if (filter.sessionIds !== null) {
    const allowed = reader.values(
      { id: 'text' },
      filter.sessionIds.map(id => ({ id })),
    )
    conditions.push(`session_id in (select a.id from ${allowed.sql} a)`)
    params.push(...allowed.params)
  }
  return { sql: conditions.join(' and '), params }
}

/** One entry of any account: whose it is, the caller checks. */
export async function getDelivery(reader: Reader, id: string): Promise<DeliveryEntry | undefined> {
  const row =
    (await reader.get<EntryRow>(`${select(`${RING} where id = ?`)}`, id)) ??
    (await reader.get<EntryRow>(`${select(`${LETTERS} where id = ? and event_type is not null`)}`, id))
  if (row === undefined || row.createdAt < (await oldestKept(reader, row.accountId))) return undefined
  return toEntry(row)
}

async function oldestKept(reader: Reader, accountId: string): Promise<number> {
  const account = await reader.get<{ plan: Plan }>('select plan from accounts where id = ?', accountId)
  return (await reader.now()) - retentionMs(account?.plan ?? 'free')
}

function toEntry({ attempts, liveAttempts, ...row }: EntryRow): DeliveryEntry {
  return { ...row, attempts: JSON.parse(liveAttempts ?? attempts) as Attempt[] }
}

const LETTERS_PER_SLICE = 500
const DAY_MS = 86_400_000

/** What one slice did: the account to go on behind, `null` at the end, and the dead letters that went before their time. */
export interface Swept {
  next: string | null
  dropped: Array<{ accountId: string; because: 'number' | 'size'; letters: number }>
}

/**
 * Drops what the plans of some accounts no longer keep, dead letters with their payloads. In slices, so that no commit is
 * long.
 */
export async function sweepHistory(tx: Tx, input: { afterAccountId: string; accounts: number }): Promise<Swept> {
  let through = input.afterAccountId
  const dropped: Swept['dropped'] = []
  const accounts = await tx.all<{ id: string; plan: Plan }>(
    'select id, plan from accounts where id > ? order by id limit ?',
    input.afterAccountId,
    input.accounts,
  )
  for (const { id, plan } of accounts) {
    const oldest = tx.nowMs - retentionMs(plan)
    await tx.run('delete from history where account_id = ? and created_at < ?', id, oldest)
    await tx.run("delete from replays where account_id = ? and state <> 'running' and updated_at < ?", id, oldest)
    const outlived = await dropOutlived(tx, id, oldest)
    const beyond = await dropBeyond(tx, id)
    await dropUnneeded(tx, [...new Set([...outlived, ...beyond].map(letter => letter.event_id))])
    const heavy = await dropHeavy(tx, id)
    if (beyond.length > 0) dropped.push({ accountId: id, because: 'number', letters: beyond.length })
    if (heavy.letters > 0) dropped.push({ accountId: id, because: 'size', letters: heavy.letters })
    if (Math.max(outlived.length, beyond.length, heavy.events) === LETTERS_PER_SLICE) return { next: through, dropped }
    through = id
  }
  return { next: accounts.length < input.accounts ? null : through, dropped }
}

async function dropOutlived(tx: Tx, accountId: string, oldest: number): Promise<Array<{ event_id: string }>> {
  return await tx.all<{ event_id: string }>(
    `delete from dead_letters where id in (
       select id from dead_letters where account_id = ? and id < ? and created_at < ? order by id limit ?)
     returning event_id`,
    accountId,
    // Ids are in the order of time: what is younger need not be looked at.
    firstIdAt('dlv', oldest + DAY_MS),
    oldest,
    LETTERS_PER_SLICE,
  )
}

/** Whoever writes to a number whose endpoint is down makes dead letters: the latest are kept and no more. */
async function dropBeyond(tx: Tx, accountId: string): Promise<Array<{ event_id: string }>> {
  return await tx.all<{ event_id: string }>(
    `delete from dead_letters where id in (
       select id from dead_letters where account_id = ? order by id desc limit ? offset ${BOUNDS.deadLetters})
     returning event_id`,
    accountId,
    LETTERS_PER_SLICE,
  )
}

/**
 * Files of dead letters fill the disk: the oldest go, with their letters. Whatever still waits for an endpoint is not
 * touched and not counted: the schedule of its attempts ends it.
 */
async function dropHeavy(tx: Tx, accountId: string): Promise<{ events: number; letters: number }> {
  // The index alone answers this, and for nearly everybody that is all.
  const all = await tx.get<{ bytes: number | null }>(
    'select sum(bytes) as bytes from events where account_id = ? and bytes > 8192',
    accountId,
  )
  if (Number(all!.bytes ?? 0) <= BOUNDS.payloadBytes) return { events: 0, letters: 0 }
  const oldest = await tx.all<{ id: string }>(
    `select id from (
       select id, sum(bytes) over (order by id desc) as total from events
       where account_id = ? and bytes > 8192 and pending <= 0) e
     where total > ? order by id limit ?`,
    accountId,
    BOUNDS.payloadBytes,
    LETTERS_PER_SLICE,
  )
  if (oldest.length === 0) return { events: 0, letters: 0 }
  const r = tx.values({ id: 'text' }, oldest)
  // One may have been sent again in the meantime: then it waits.
  const gone = await tx.all<{ id: string }>(
    `delete from events where pending <= 0 and id in (select r.id from ${r.sql} r) returning id`,
    ...r.params,
  )
  if (gone.length === 0) return { events: 0, letters: 0 }
  const g = tx.values({ id: 'text' }, gone)
  const letters = await tx.run(`delete from dead_letters where event_id in (select g.id from ${g.sql} g)`, ...g.params)
  return { events: oldest.length, letters }
}

async function dropUnneeded(tx: Tx, eventIds: string[]): Promise<void> {
  if (eventIds.length === 0) return
  const r = tx.values(
    { id: 'text' },
    eventIds.map(id => ({ id })),
  )
  await tx.run(
    `delete from events where pending <= 0 and id in (select r.id from ${r.sql} r)
       and not exists (select 1 from dead_letters l where l.event_id = events.id)`,
    ...r.params,
  )
}

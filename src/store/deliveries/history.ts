import type { Plan } from '../../domain/account.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import type { Attempt, DeliveryEntry, DeliveryStatus } from '../../domain/delivery.ts'
import type { HistoryType } from '../../domain/event.ts'
import { deliveriesKeptMs } from '../../domain/retention.ts'
import type { Reader, Value } from '../transaction.ts'
import { type Page, type PageRequest, toPage } from '../page.ts'

export interface HistoryFilter {
  accountId: string
  /** The sessions that the key may see; `null` for all of the account. */
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

type EntryRow = Omit<DeliveryEntry, 'attempts'> & { attempts: string }

const COMMON = `id, account_id, event_id, webhook_id, session_id, kind, event_type, category, dedupe_id, origin,
  attempts, created_at, updated_at, redacted`
/** The three tables of deliveries: waiting, delivered, and dead. Each delivery is in one of them, or replaced. */
const QUEUE = `select ${COMMON}, case when attempt = 0 then 'pending' else 'failed' end as status,
  cast(null as text) as reason, cast(null as bigint) as redelivered_at,
  case when given_up_at is null then due_at end as due_at, cast(null as text) as replaced_by,
  cast(null as text) as replayed_as from deliveries`
const RING = `select ${COMMON}, 'delivered' as status, cast(null as text) as reason,
  cast(null as bigint) as redelivered_at, cast(null as bigint) as due_at, cast(null as text) as replaced_by,
  cast(null as text) as replayed_as from history`
const LETTERS = `select ${COMMON}, 'dead' as status, reason, redelivered_at, cast(null as bigint) as due_at,
  cast(null as text) as replaced_by, replayed_as from dead_letters`
const REPLACED = `select ${COMMON}, 'dead' as status, reason, cast(null as bigint) as redelivered_at,
  cast(null as bigint) as due_at, replaced_by, replayed_as from replaced_letters`

const PARTS: Record<DeliveryStatus, string> = { pending: QUEUE, failed: QUEUE, delivered: RING, dead: LETTERS }

/** The entries of one table or of all three as one table. */
const select = (entries: string): string =>
  `select h.id, h.account_id as "accountId", h.event_id as "eventId", h.webhook_id as "webhookId",
    h.session_id as "sessionId", h.kind, h.event_type as "eventType", h.category, h.dedupe_id as "dedupeId", h.status,
    h.reason, h.origin, h.attempts, h.due_at as "nextAttemptAt", h.redelivered_at as "redeliveredAt",
    h.replaced_by as "replacedBy", h.replayed_as as "replayedAs",
    case when h.origin = 'event' then null else coalesce(
      (select l.id from dead_letters l where l.event_id = h.event_id and l.replayed_as = h.id limit 1),
      (select l.id from replaced_letters l where l.event_id = h.event_id and l.replayed_as = h.id limit 1))
    end as "replayOf",
    h.created_at as "createdAt", h.updated_at as "updatedAt", h.redacted
  from (${entries}) h`

/** The account's deliveries, newest first, as far back as its plan keeps them. */
export async function listDeliveries(
  reader: Reader,
  { limit, cursor, ...filter }: HistoryFilter & PageRequest,
): Promise<Page<DeliveryEntry>> {
  const end = await endOfScan(reader, filter, cursor)
  const { sql, params } = conditionsOf(reader, filter, { cursor, end }, await oldestKept(reader, filter.accountId))
  const latest = filter.status === 'dead' ? '' : await firstOfLatest(reader, filter.accountId)
  const more = limit + 1
  // Each table is limited separately, so that many dead letters cost no more than few. Changes are found by time.
  const isCut = filter.changedSinceMs === undefined
  const cut = ` order by ${isCut ? 'id' : 'updated_at'} desc limit ?`
  const cutAt = isCut ? more : CHANGES
  const parts: string[] = []
  const values: Value[] = []
  const add = (part: string, condition: string, ...value: Value[]) => {
    parts.push(`select * from (${part} where ${sql} and event_type is not null${condition}${cut}) p${parts.length}`)
    values.push(...params, ...value, cutAt)
  }
  const wanted = filter.status === undefined ? [QUEUE, RING, LETTERS] : [PARTS[filter.status]]
  for (const part of wanted) {
    if (part === LETTERS) add(part, '')
    else if (part === RING) add(part, ' and id >= ?', latest)
    else add(part, ` and id >= ?${triedOf(filter.status)}`, latest)
  }
  const rows = await reader.all<EntryRow>(
    `${select(parts.join(' union all '))} order by h.id desc limit ?`,
    ...values,
    more,
  )
  const page = toPage(rows, limit, row => row.id, toEntry)
  return { ...page, nextCursor: page.nextCursor ?? end ?? null }
}

/**
 * How many dead letters are read for one page: if few of them match, the page is short and the next one continues.
 */
const SCANNED = 5_000
/** If more have changed, only the latest are read. */
const CHANGES = 1_000

/** The last dead letter that a page reads, found with an index-only scan; `undefined` if all are read. */
async function endOfScan(reader: Reader, filter: HistoryFilter, cursor: string | null): Promise<string | undefined> {
  if (filter.changedSinceMs !== undefined || (filter.status !== undefined && filter.status !== 'dead')) return undefined
  const row = await reader.get<{ id: string }>(
    `select id from dead_letters where account_id = ?${cursor === null ? '' : ' and id < ?'}
     order by id desc limit 1 offset ${SCANNED - 1}`,
    filter.accountId,
    ...(cursor === null ? [] : [cursor]),
  )
  return row?.id
}

function triedOf(status: DeliveryStatus | undefined): string {
  if (status === undefined) return ''
  return status === 'pending' ? ' and attempt = 0' : ' and attempt > 0'
}

/** Except for dead letters only the latest entries are shown, however many wait in the queue. */
async function firstOfLatest(reader: Reader, accountId: string): Promise<string> {
  const row = await reader.get<{ id: string }>(
    `select id from (
       select id from history where account_id = ?
       union all select id from (
         select id from deliveries where account_id = ? order by id desc limit ${BOUNDS.historyEntries}) q) h
     order by id desc limit 1 offset ${BOUNDS.historyEntries - 1}`,
    accountId,
    accountId,
  )
  return row?.id ?? ''
}

function conditionsOf(
  reader: Reader,
  filter: HistoryFilter,
  { cursor, end }: { cursor: string | null; end: string | undefined },
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
  where('id >= ?', end)
  where('session_id = ?', filter.sessionId)
  where('event_type = ?', filter.eventType)
  where('webhook_id = ?', filter.webhookId)
  where('created_at >= ?', filter.sinceMs)
  where('created_at <= ?', filter.untilMs)
  where('updated_at >= ?', filter.changedSinceMs)
  if (filter.sessionIds !== null) {
    const allowed = reader.ids(filter.sessionIds)
    conditions.push(`(session_id in (select a.id from ${allowed.sql} a)) is true`)
    params.push(...allowed.params)
  }
  return { sql: conditions.join(' and '), params }
}

/** One delivery of any account: the caller checks its owner. */
export async function getDelivery(reader: Reader, id: string): Promise<DeliveryEntry | undefined> {
  const ofPart = (part: string) => reader.get<EntryRow>(select(`${part} where id = ? and event_type is not null`), id)
  // Read in the order in which a delivery moves through the tables, so that none is missed.
  const row = (await ofPart(QUEUE)) ?? (await ofPart(RING)) ?? (await ofPart(LETTERS)) ?? (await ofPart(REPLACED))
  if (row === undefined || row.createdAt < (await oldestKept(reader, row.accountId))) return undefined
  return toEntry(row)
}

async function oldestKept(reader: Reader, accountId: string): Promise<number> {
  const account = await reader.get<{ plan: Plan }>('select plan from accounts where id = ?', accountId)
  return (await reader.now()) - deliveriesKeptMs(account?.plan ?? 'free')
}

function toEntry({ attempts, ...row }: EntryRow): DeliveryEntry {
  return { ...row, attempts: JSON.parse(attempts) as Attempt[] }
}

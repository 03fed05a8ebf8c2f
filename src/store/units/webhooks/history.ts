import type { Plan } from '../../../domain/account.ts'
import type { Attempt, DeliveryEntry, DeliveryStatus } from '../../../domain/delivery.ts'
import type { HistoryType } from '../../../domain/event.ts'
import { deliveriesKeptMs } from '../../../domain/retention.ts'
import type { Reader, Value } from '../../tx.ts'
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
  const end = await endOfScan(reader, filter, cursor)
  const { sql, params } = conditionsOf(reader, filter, { cursor, end }, await oldestKept(reader, filter.accountId))
  const more = limit + 1
  // Each part is cut by itself, so that many dead letters cost no more than few. Changes are found by time.
  const isCut = filter.changedSinceMs === undefined
  const cut = ` order by ${isCut ? 'id' : 'updated_at'} desc limit ?`
  const cutAt = [isCut ? more : CHANGES]
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
  const page = toPage(rows, limit, row => row.id, toEntry)
  return { ...page, nextCursor: page.nextCursor ?? end ?? null }
}

/** How many dead letters are looked at for one page: where few of them fit, the page is short and the next goes on. */
const SCANNED = 5_000
/** Of more that changed, the latest. */
const CHANGES = 1_000

/** The last dead letter that a page looks at, read from the index alone; undefined where all are looked at. */
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
  return (await reader.now()) - deliveriesKeptMs(account?.plan ?? 'free')
}

function toEntry({ attempts, liveAttempts, ...row }: EntryRow): DeliveryEntry {
  return { ...row, attempts: JSON.parse(liveAttempts ?? attempts) as Attempt[] }
}

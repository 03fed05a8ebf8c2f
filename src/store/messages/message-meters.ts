import { type Bucket, monthOf, msToNextMonth, rateOf, take } from '../../runtime/token-bucket.ts'
import type { Tx } from '../transaction.ts'

export interface MessageLimits {
  perSecond: number | null
  burst: number | null
  perMonth: number | null
  /** How many messages, edits and revokes may wait; no limit if it is left out. */
  waiting?: number | null
}

export interface MeterRejection {
  retryAfterMs: number
  /** The monthly quota is used up. */
  quota: boolean
  /** The limit of waiting messages is reached. */
  full: boolean
}

interface Meter extends Bucket {
  month: string
  monthMessages: number
  /** An upper bound of waiting messages: it includes those that were sent since they were counted. */
  waiting: number
  waitingCountedAt: number
}

const FULL_RETRY_MS = 5_000
/**
 * Waiting messages are counted again when the bound reaches the limit, at most this many rows per millisecond: few rows
 * are counted at once, and an account with many waiting messages costs no more.
 */
const COUNTED_PER_MS = 20

/** The remaining limits of each account, locked until the transaction ends. */
export type Meters = Map<string, Meter>

interface MeterRow {
  account_id: string
  tokens: number
  tokens_at: number
  month: string
  month_messages: number
  waiting: number
  waiting_counted_at: number
}

export const isLimited = ({ perSecond, perMonth, waiting }: MessageLimits): boolean =>
  perSecond !== null || perMonth !== null || (waiting ?? null) !== null

/** An unused meter has negative tokens: its first use fills it. */
export async function lockMeters(tx: Tx, accountIds: string[]): Promise<Meters> {
  const ids = [...new Set(accountIds)].sort()
  if (ids.length === 0) return new Map()
  await tx.insert(
    'account_meters',
    ids.map(id => ({ account_id: id, tokens: -1, tokens_at: 0, month: monthOf(tx.nowMs), month_messages: 0 })),
    'on conflict (account_id) do nothing',
  )
  return await readMeters(tx, ids, tx.forUpdate)
}

/** The used meters that no other transaction has locked; on SQLite all of them. */
export async function lockFreeMeters(tx: Tx, accountIds: string[]): Promise<Meters> {
  if (tx.dialect === 'sqlite') return await lockMeters(tx, accountIds)
  const ids = [...new Set(accountIds)].sort()
  return ids.length === 0 ? new Map() : await readMeters(tx, ids, tx.skipLocked)
}

async function readMeters(tx: Tx, ids: string[], lock: string): Promise<Meters> {
  const month = monthOf(tx.nowMs)
  const r = tx.ids(ids)
  const rows = await tx.all<MeterRow>(
    `select account_id, tokens, tokens_at, month, month_messages, waiting, waiting_counted_at
     from account_meters where account_id in (select id from ${r.sql} r) order by account_id${lock}`,
    ...r.params,
  )
  return new Map(
    rows.map(row => [
      row.account_id,
      {
        tokens: row.tokens,
        at: row.tokens_at,
        month,
        monthMessages: row.month === month ? row.month_messages : 0,
        waiting: row.waiting,
        waitingCountedAt: row.waiting_counted_at,
      },
    ]),
  )
}

/** Counts an account's waiting messages again if `more` further ones might exceed the limit. */
export async function countWaiting(
  tx: Tx,
  meters: Meters,
  { accountId, limits, more }: { accountId: string; limits: MessageLimits; more: number },
): Promise<void> {
  const meter = meters.get(accountId)
  const max = limits.waiting ?? null
  if (meter === undefined || max === null || meter.waiting + more <= max) return
  if (tx.nowMs - meter.waitingCountedAt < Math.floor(max / COUNTED_PER_MS)) return
  const row =
    tx.dialect === 'postgres'
      ? await tx.get<{ n: number }>(NUMBER_BY_NUMBER, max, accountId, max)
      : await tx.get<{ n: number }>(AT_ONCE, accountId, max)
  meter.waiting = row!.n
  meter.waitingCountedAt = tx.nowMs
}

const AT_ONCE = `select count(*) as n from (
  select 1 as one from sessions s join commands c on c.session_id = s.id
  where s.account_id = ? and c.message_id is not null limit ?) waiting`

/** PostgreSQL would rather read the commands of all accounts until it has found enough. */
const NUMBER_BY_NUMBER = `select count(*) as n from (
  select 1 as one from sessions s cross join lateral (
    select 1 as one from commands c where c.session_id = s.id and c.message_id is not null limit ?) w
  where s.account_id = ? limit ?) waiting`

/** Uses the tokens and the quota of one message, or returns how long to wait. */
export function takeForMessage(
  meters: Meters,
  accountId: string,
  limits: MessageLimits,
  nowMs: number,
): MeterRejection | undefined {
  if (!isLimited(limits)) return undefined
  const meter = meters.get(accountId)!
  if (limits.perMonth !== null && meter.monthMessages >= limits.perMonth) {
    return { retryAfterMs: msToNextMonth(nowMs), quota: true, full: false }
  }
  const rejection = takeForChange(meters, accountId, limits, nowMs)
  if (rejection === undefined) meter.monthMessages++
  return rejection
}

/** The same for an edit or a revoke, which does not count toward the monthly quota. */
export function takeForChange(
  meters: Meters,
  accountId: string,
  limits: MessageLimits,
  nowMs: number,
): MeterRejection | undefined {
  if (!isLimited(limits)) return undefined
  const meter = meters.get(accountId)!
  const max = limits.waiting ?? null
  if (max !== null && meter.waiting >= max) return { retryAfterMs: FULL_RETRY_MS, quota: false, full: true }
  if (limits.perSecond !== null) {
    const bucket = meter.tokens < 0 ? undefined : meter
    const taken = take(bucket, rateOf(limits.perSecond, limits.burst), nowMs)
    meter.tokens = taken.bucket.tokens
    meter.at = taken.bucket.at
    if (!taken.ok) return { retryAfterMs: taken.retryAfterMs, quota: false, full: false }
  }
  meter.waiting++
  return undefined
}

/** Returns what was taken for a message that is not stored. */
export function giveBack(meters: Meters, accountId: string, limits: MessageLimits): void {
  if (!isLimited(limits)) return
  const meter = meters.get(accountId)!
  if (limits.perSecond !== null) meter.tokens++
  meter.monthMessages--
  meter.waiting--
}

export async function saveMeters(tx: Tx, meters: Meters): Promise<void> {
  if (meters.size === 0) return
  const rows = [...meters].map(([id, meter]) => ({
    id,
    tokens: meter.tokens,
    at: meter.at,
    month: meter.month,
    n: meter.monthMessages,
    waiting: meter.waiting,
    counted_at: meter.waitingCountedAt,
  }))
  const columns = { id: 'text', tokens: 'double precision', at: 'bigint', month: 'text', n: 'bigint' } as const
  const r = tx.values({ ...columns, waiting: 'bigint', counted_at: 'bigint' }, rows)
  await tx.run(
    `update account_meters set tokens = r.tokens, tokens_at = r.at, month = r.month, month_messages = r.n,
       waiting = r.waiting, waiting_counted_at = r.counted_at
     from ${r.sql} r where account_meters.account_id = r.id`,
    ...r.params,
  )
}

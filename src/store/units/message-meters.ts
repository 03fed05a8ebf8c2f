import { type Bucket, monthOf, msToNextMonth, rateOf, take } from '../../domain/rate-limit.ts'
import type { Tx } from '../tx.ts'

export interface MessageLimits {
  perSecond: number | null
  burst: number | null
  perMonth: number | null
}

interface Meter extends Bucket {
  month: string
  monthMessages: number
}

/** What each account has left, locked until the unit ends. */
export type Meters = Map<string, Meter>

interface MeterRow {
  account_id: string
  tokens: number
  tokens_at: number
  month: string
  month_messages: number
}

export const isLimited = ({ perSecond, perMonth }: MessageLimits): boolean => perSecond !== null || perMonth !== null

/** A meter that has never been used has tokens below zero: its first use fills it. */
export async function lockMeters(tx: Tx, accountIds: string[]): Promise<Meters> {
  const ids = [...new Set(accountIds)].sort()
  if (ids.length === 0) return new Map()
  const month = monthOf(tx.nowMs)
  await tx.insert(
    'account_meters',
    ids.map(id => ({ account_id: id, tokens: -1, tokens_at: 0, month, month_messages: 0 })),
    'on conflict (account_id) do nothing',
  )
  const r = tx.values(
    { id: 'text' },
    ids.map(id => ({ id })),
  )
  const rows = await tx.all<MeterRow>(
    `select * from account_meters where account_id in (select id from ${r.sql} r) order by account_id${tx.forUpdate}`,
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
      },
    ]),
  )
}

/** Takes one message's worth, or says how long to wait. */
export function draw(
  meters: Meters,
  accountId: string,
  limits: MessageLimits,
  nowMs: number,
): { retryAfterMs: number; quota: boolean } | undefined {
  if (!isLimited(limits)) return undefined
  const meter = meters.get(accountId)!
  if (limits.perMonth !== null && meter.monthMessages >= limits.perMonth) {
    return { retryAfterMs: msToNextMonth(nowMs), quota: true }
  }
  if (limits.perSecond !== null) {
    const bucket = meter.tokens < 0 ? undefined : meter
    const taken = take(bucket, rateOf(limits.perSecond, limits.burst), nowMs)
    meter.tokens = taken.bucket.tokens
    meter.at = taken.bucket.at
    if (!taken.ok) return { retryAfterMs: taken.retryAfterMs, quota: false }
  }
  meter.monthMessages++
  return undefined
}

/** For a message that turned out to be accepted already. */
export function giveBack(meters: Meters, accountId: string): void {
  const meter = meters.get(accountId)
  if (meter === undefined) return
  meter.tokens++
  meter.monthMessages--
}

export async function saveMeters(tx: Tx, meters: Meters): Promise<void> {
  if (meters.size === 0) return
  const rows = [...meters].map(([id, meter]) => ({
    id,
    tokens: meter.tokens,
    at: meter.at,
    month: meter.month,
    n: meter.monthMessages,
  }))
  const r = tx.values({ id: 'text', tokens: 'double precision', at: 'bigint', month: 'text', n: 'bigint' }, rows)
  await tx.run(
    `update account_meters set tokens = r.tokens, tokens_at = r.at, month = r.month, month_messages = r.n
     from ${r.sql} r where account_meters.account_id = r.id`,
    ...r.params,
  )
}

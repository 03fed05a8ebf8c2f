import { dayOf } from '../../runtime/token-bucket.ts'
import type { Reader, Tx } from '../transaction.ts'
import { tryJobLock } from '../retention/job-lock.ts'

type DayMetric = 'accepted' | 'sent' | 'failed' | 'received' | 'deliveries'
/** `delivery_failed` counts attempts, only for the portal's charts. */
export type Metric = DayMetric | 'delivery_failed'

const HOUR_MS = 3_600_000

export interface UsageDelta {
  accountId: string
  metric: Metric
  n: number
}

/** Counts by inserting rows instead of updating one hot row; `foldUsage` adds them up later. */
export async function addUsage(tx: Tx, deltas: UsageDelta[]): Promise<void> {
  const { day, hour } = usageTime(tx.nowMs)
  await tx.insert(
    'usage_deltas',
    deltas.map(({ accountId, metric, n }) => ({ account_id: accountId, day, hour, metric, n })),
  )
}

/** Counts one for each account in the list. */
export async function addUsagePerAccount(tx: Tx, metric: Metric, items: Array<{ accountId: string }>): Promise<void> {
  if (items.length === 0) return
  const perAccount = new Map<string, number>()
  for (const { accountId } of items) perAccount.set(accountId, (perAccount.get(accountId) ?? 0) + 1)
  await addUsage(
    tx,
    [...perAccount].map(([accountId, n]) => ({ accountId, metric, n })),
  )
}

const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS)

/** The day and hour that a time is counted in. */
export const usageTime = (ms: number): { day: string; hour: number } => ({ day: dayOf(ms), hour: hourOf(ms) })

interface DeltaRow {
  account_id: string
  day: string
  hour: number
  metric: string
  n: number
}

/** Rows that one transaction adds up, so that it stays short. */
const ROUND = 500
/** The rows have no key, so they are deleted by their physical place. */
const PLACE = { postgres: 'ctid', sqlite: 'rowid' }

/** Adds up a batch of rows; returns whether there may be more. */
export async function foldUsage(tx: Tx): Promise<boolean> {
  if (!(await tryJobLock(tx, 'fold_usage'))) return false
  const place = PLACE[tx.dialect]
  const rows = await tx.all<DeltaRow>(
    `delete from usage_deltas where ${place} in (select ${place} from usage_deltas limit ${ROUND})
     returning account_id, day, hour, metric, n`,
  )
  await tx.insert(
    'usage_days',
    sums(rows, ({ account_id, day, metric }) => ({ account_id, day, metric })),
    'on conflict (account_id, day, metric) do update set n = usage_days.n + excluded.n',
  )
  await tx.insert(
    'usage_hours',
    sums(rows, ({ account_id, hour, metric }) => ({ account_id, hour, metric })),
    'on conflict (account_id, hour, metric) do update set n = usage_hours.n + excluded.n',
  )
  return rows.length === ROUND
}

/** Adds up the rows with the same key, in the order in which every process writes them. */
function sums<K extends Record<string, string | number>>(rows: DeltaRow[], keyOf: (row: DeltaRow) => K) {
  const found = new Map<string, K & { n: number }>()
  for (const row of rows) {
    const columns = keyOf(row)
    const key = Object.values(columns).join(' ')
    const sum = found.get(key)
    if (sum === undefined) found.set(key, { ...columns, n: row.n })
    else sum.n += row.n
  }
  return [...found.keys()].sort().map(key => found.get(key)!)
}

export type UsageDay = { day: string } & Record<DayMetric, number>

export async function readUsage(
  reader: Reader,
  input: { accountId: string; from: string; to: string },
): Promise<UsageDay[]> {
  const rows = await reader.all<{ day: string; metric: Metric; n: number }>(
    `select day, metric, sum(n) as n from (
       select day, metric, n from usage_days where account_id = ? and day between ? and ?
       union all select day, metric, n from usage_deltas where account_id = ? and day between ? and ?) u
     group by day, metric order by day`,
    input.accountId,
    input.from,
    input.to,
    input.accountId,
    input.from,
    input.to,
  )
  const days = new Map<string, UsageDay>()
  for (const { day, metric, n } of rows) {
    if (metric === 'delivery_failed') continue
    if (!days.has(day)) days.set(day, { day, accepted: 0, sent: 0, failed: 0, received: 0, deliveries: 0 })
    days.get(day)![metric] = n
  }
  return [...days.values()]
}

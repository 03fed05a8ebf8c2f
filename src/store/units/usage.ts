import type { Reader, Tx } from '../tx.ts'

export const METRICS = ['accepted', 'sent', 'failed', 'received', 'deliveries'] as const
export type Metric = (typeof METRICS)[number]

export interface UsageDelta {
  accountId: string
  day: string
  metric: Metric
  n: number
}

/** Counts by appending, never by updating one hot row; `foldUsage` adds the small rows up later. */
export async function addUsage(tx: Tx, deltas: UsageDelta[]): Promise<void> {
  await tx.insert(
    'usage_deltas',
    deltas.map(({ accountId, day, metric, n }) => ({ account_id: accountId, day, metric, n })),
  )
}

export async function foldUsage(tx: Tx, _input: null): Promise<number> {
  const rows = await tx.all<{ account_id: string; day: string; metric: string; n: number }>(
    'delete from usage_deltas returning account_id, day, metric, n',
  )
  const sums = new Map<string, { account_id: string; day: string; metric: string; n: number }>()
  for (const row of rows) {
    const key = `${row.account_id} ${row.day} ${row.metric}`
    const sum = sums.get(key)
    if (sum === undefined) sums.set(key, { ...row })
    else sum.n += row.n
  }
  const sorted = [...sums.keys()].sort().map(key => sums.get(key)!)
  await tx.insert(
    'usage_days',
    sorted,
    'on conflict (account_id, day, metric) do update set n = usage_days.n + excluded.n',
  )
  return rows.length
}

export type UsageDay = { day: string } & Record<Metric, number>

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
    if (!days.has(day)) days.set(day, { day, accepted: 0, sent: 0, failed: 0, received: 0, deliveries: 0 })
    days.get(day)![metric] = n
  }
  return [...days.values()]
}

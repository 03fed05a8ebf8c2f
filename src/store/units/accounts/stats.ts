import { BOUNDS } from '../../../domain/bounds.ts'
import { MAX_ATTEMPTS } from '../../../domain/delivery.ts'
import type { Reader } from '../../tx.ts'
import type { Metric } from './usage.ts'

export interface StoredStats {
  /** Sums of a bucket, by its first hour. */
  hours: Array<{ hour: number; metric: Metric; n: number }>
  /** The attempts that the history still holds. */
  attempts: AttemptTime[]
  deadLetters: number
  numbers: { connected: number; total: number }
}

export interface AttemptTime {
  atMs: number
  latencyMs: number
}

const MAX_DEAD_LETTERS_READ = 200

/** What the portal's overview is drawn from. */
export async function readStats(
  reader: Reader,
  { accountId, fromMs, bucketMs }: { accountId: string; fromMs: number; bucketMs: number },
): Promise<StoredStats> {
  const bucketHours = Math.max(1, Math.floor(bucketMs / 3_600_000))
  const fromHour = Math.floor(fromMs / 3_600_000)
  const hours = await reader.all<StoredStats['hours'][number]>(
    `select u.bucket * ${bucketHours} as hour, metric, sum(n) as n from (
       select hour / ${bucketHours} as bucket, metric, n from usage_hours where account_id = ? and hour >= ?
       union all select hour / ${bucketHours}, metric, n from usage_deltas where account_id = ? and hour >= ?) u
     group by u.bucket, metric`,
    accountId,
    fromHour,
    accountId,
    fromHour,
  )
  const deadLetters = await reader.get<{ n: number }>(
    'select count(*) as n from dead_letters where account_id = ? and redelivered_at is null',
    accountId,
  )
  const numbers = await reader.get<StoredStats['numbers']>(
    `select count(*) as total, coalesce(sum(case when state = 'connected' then 1 else 0 end), 0) as connected
     from sessions where account_id = ?`,
    accountId,
  )
  return {
    hours,
    attempts: await readAttempts(reader, accountId, fromMs),
    deadLetters: deadLetters!.n,
    numbers: { connected: Number(numbers!.connected), total: numbers!.total },
  }
}

const PATHS = Array.from({ length: MAX_ATTEMPTS }, (_, i) => `'$[${i}].atMs', '$[${i}].latencyMs'`).join(', ')

/** Of each attempt two numbers, one after the other: what endpoints answered is many times as much, and is not read. */
const NUMBERS = {
  sqlite: `json_extract(attempts, ${PATHS})`,
  postgres: `(select json_agg(n.value order by a.i, n.j) from json_array_elements(attempts::json) with ordinality a(value, i),
    lateral (values (1, a.value -> 'atMs'), (2, a.value -> 'latencyMs')) n(j, value) where a.i <= ${MAX_ATTEMPTS})::text`,
}

async function readAttempts(reader: Reader, accountId: string, fromMs: number): Promise<AttemptTime[]> {
  const rows = await reader.all<{ numbers: string | null }>(
    `select ${NUMBERS[reader.dialect]} as numbers from (
       select attempts from history where account_id = ? and updated_at >= ?
       union all select attempts from (
         select attempts, updated_at from deliveries where account_id = ? order by id desc limit ${BOUNDS.historyEntries}) q
       where updated_at >= ?
       union all select attempts from (
         select attempts, updated_at from dead_letters where account_id = ? order by id desc limit ${MAX_DEAD_LETTERS_READ}) l
       where updated_at >= ?) h`,
    accountId,
    fromMs,
    accountId,
    fromMs,
    accountId,
    fromMs,
  )
  return rows.flatMap(({ numbers }) => timesOf(numbers)).filter(({ atMs }) => atMs >= fromMs)
}

function timesOf(numbers: string | null): AttemptTime[] {
  const values = JSON.parse(numbers ?? '[]') as Array<number | null>
  return values.flatMap((atMs, i) => {
    const latencyMs = values[i + 1]
    return i % 2 === 0 && atMs !== null && latencyMs != null ? [{ atMs, latencyMs }] : []
  })
}

import type { Attempt } from '../../domain/delivery.ts'
import type { Reader } from '../tx.ts'
import type { Metric } from './usage.ts'

export interface StoredStats {
  hours: Array<{ hour: number; metric: Metric; n: number }>
  /** The attempts that the history still holds. */
  attempts: Attempt[]
  deadLetters: number
  numbers: { connected: number; total: number }
}

const MAX_DEAD_LETTERS_READ = 200

/** What the portal's overview is drawn from. */
export async function readStats(reader: Reader, input: { accountId: string; fromMs: number }): Promise<StoredStats> {
  const { accountId, fromMs } = input
  const fromHour = Math.floor(fromMs / 3_600_000)
  const hours = await reader.all<StoredStats['hours'][number]>(
    `select hour, metric, sum(n) as n from (
       select hour, metric, n from usage_hours where account_id = ? and hour >= ?
       union all select hour, metric, n from usage_deltas where account_id = ? and hour >= ?) u
     group by hour, metric`,
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

async function readAttempts(reader: Reader, accountId: string, fromMs: number): Promise<Attempt[]> {
  const rows = await reader.all<{ attempts: string }>(
    `select attempts from history where account_id = ? and updated_at >= ?
     union all select attempts from (
       select attempts, updated_at from dead_letters where account_id = ? order by id desc limit ${MAX_DEAD_LETTERS_READ}) l
     where updated_at >= ?`,
    accountId,
    fromMs,
    accountId,
    fromMs,
  )
  return rows.flatMap(row => JSON.parse(row.attempts) as Attempt[]).filter(attempt => attempt.atMs >= fromMs)
}

import { BOUNDS } from '../../domain/bounds.ts'
import { MAX_ATTEMPTS } from '../../domain/delivery.ts'
import type { WebhookAttempt } from '../../domain/webhook-health.ts'
import type { Reader } from '../transaction.ts'
import { countDeadLetters } from '../deliveries/dead-letters.ts'
import type { Metric } from './usage.ts'

export interface StoredStats {
  /** The sums of each bucket, by its first hour. */
  hours: Array<{ hour: number; metric: Metric; n: number }>
  /** The attempts in the history. */
  attempts: AttemptTime[]
  deadLetters: number
  numbers: { connected: number; total: number }
}

export interface AttemptTime extends WebhookAttempt {
  latencyMs: number
}

const MAX_DEAD_LETTERS_READ = 200

/** The data of the portal's overview. */
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
  const numbers = await reader.get<StoredStats['numbers']>(
    `select count(*) as total, coalesce(sum(case when state = 'connected' then 1 else 0 end), 0) as connected
     from sessions where account_id = ?`,
    accountId,
  )
  return {
    hours,
    attempts: await readAttempts(reader, accountId, fromMs),
    deadLetters: await countDeadLetters(reader, { accountId, sessionIds: null }),
    numbers: { connected: Number(numbers!.connected), total: numbers!.total },
  }
}

const FIELDS = ['atMs', 'latencyMs', 'delivered', 'code', 'error'] as const
const PATHS = Array.from({ length: MAX_ATTEMPTS }, (_, i) => FIELDS.map(field => `'$[${i}].${field}'`))
  .flat()
  .join(', ')
const VALUES = FIELDS.map((field, j) => `(${j}, a.value -> '${field}')`).join(', ')

/** Reads only a few values of each attempt: the responses are many times larger. */
const READ = {
  sqlite: `json_extract(attempts, ${PATHS})`,
  postgres: `(select json_agg(n.value order by a.i, n.j) from json_array_elements(attempts::json) with ordinality a(value, i),
    lateral (values ${VALUES}) n(j, value) where a.i <= ${MAX_ATTEMPTS})::text`,
}

async function readAttempts(reader: Reader, accountId: string, fromMs: number): Promise<AttemptTime[]> {
  const rows = await reader.all<{ webhookId: string; read: string | null }>(
    `select webhook_id as "webhookId", ${READ[reader.dialect]} as read from (
       select webhook_id, attempts from history where account_id = ? and updated_at >= ?
       union all select webhook_id, attempts from (
         select webhook_id, attempts, updated_at from deliveries where account_id = ?
         order by id desc limit ${BOUNDS.historyEntries}) q
       where updated_at >= ?
       union all select webhook_id, attempts from (
         select webhook_id, attempts, updated_at from dead_letters where account_id = ?
         order by id desc limit ${MAX_DEAD_LETTERS_READ}) l
       where updated_at >= ?) h`,
    accountId,
    fromMs,
    accountId,
    fromMs,
    accountId,
    fromMs,
  )
  return rows.flatMap(attemptsOf).filter(({ atMs }) => atMs >= fromMs)
}

type Read = [number | null, number | null, boolean | null, number | null, string | null]

function attemptsOf({ webhookId, read }: { webhookId: string; read: string | null }): AttemptTime[] {
  const values = JSON.parse(read ?? '[]') as unknown[]
  const count = Math.floor(values.length / FIELDS.length)
  return Array.from(
    { length: count },
    (_, i) => values.slice(i * FIELDS.length, (i + 1) * FIELDS.length) as Read,
  ).flatMap(([atMs, latencyMs, delivered, code, error]) =>
    atMs === null || latencyMs === null
      ? []
      : [{ webhookId, atMs, latencyMs, delivered: delivered === true, code, error }],
  )
}

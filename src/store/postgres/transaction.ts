import type pg from 'pg'
import type { DatabaseClock } from '../../runtime/database-clock.ts'
import type { Signal } from '../signals.ts'
import type { Row, Tx, Value } from '../transaction.ts'
import {
  type ColumnTypes,
  insertMany,
  insertOne,
  isLarge,
  NOW_SQL,
  postgresAmong,
  postgresIds,
  postgresValues,
  toDollars,
} from './dialect.ts'
import { endsConnection } from './failures.ts'
import { GatheredSignals } from './notifications/gathered-signals.ts'
import { HOT, type Pace, settingsOf, withinPace } from './timeouts.ts'

export interface Transaction {
  columns: ColumnTypes
  pace?: Pace
  isPooled?: boolean
  /** Hears what the commit has changed. */
  tell?: (signals: Signal[]) => void
  clock?: Pick<DatabaseClock, 'asking'> | undefined
}

/**
 * `begin` brings the database's clock along, so a unit knows the time without another round trip. `tell` hears of the
 * change before the caller does: what is remembered here of the old state must not answer the caller's next request.
 */
export async function transact<T>(
  client: pg.PoolClient,
  { columns, pace = HOT, isPooled = false, tell, clock }: Transaction,
  run: (tx: Tx) => Promise<T>,
): Promise<T> {
  const heard = clock?.asking()
  const begin = `begin; ${settingsOf(pace, isPooled)} select ${NOW_SQL} as now`
  const begun = (await client.query(begin)) as unknown as Array<{ rows: Array<{ now: number }> }>
  const nowMs = Number(begun.at(-1)!.rows[0]!.now)
  heard?.(nowMs)
  const outgoing = new GatheredSignals()
  const query: Query = (sql, values) => client.query(withinPace(pace, { ...toDollars(sql), values }))
  try {
    const result = await run(makeTx(query, columns, nowMs, outgoing))
    await client.query('commit')
    tell?.(outgoing.take())
    return result
  } catch (error) {
    // A connection that is no good is destroyed by whoever lent it, and the server rolls back by itself.
    if (!endsConnection(error)) await client.query('rollback').catch(() => {})
    throw error
  }
}

type Query = (sql: string, values: Value[]) => Promise<pg.QueryResult>

function makeTx(query: Query, columns: ColumnTypes, nowMs: number, outgoing: GatheredSignals): Tx {
  return {
    dialect: 'postgres',
    nowSql: NOW_SQL,
    nowMs,
    now: async () => nowMs,
    forUpdate: ' for update',
    skipLocked: ' for update skip locked',
    all: async <R>(sql: string, ...params: Value[]) => (await query(sql, params)).rows as R[],
    get: async <R>(sql: string, ...params: Value[]) => (await query(sql, params)).rows[0] as R | undefined,
    run: async (sql, ...params) => (await query(sql, params)).rowCount ?? 0,
    insert: async <R>(table: string, rows: Row[], tail = '') => {
      const small = rows.filter(row => !isLarge(row))
      const statements = rows.filter(isLarge).map(row => insertOne(table, row, tail))
      if (small.length > 0) statements.unshift(insertMany(columns, table, small, tail))
      const inserted: R[] = []
      for (const { sql, params } of statements) inserted.push(...((await query(sql, params)).rows as R[]))
      return inserted
    },
    values: postgresValues,
    ids: postgresIds,
    among: postgresAmong,
    notify: signal => outgoing.add(signal),
  }
}

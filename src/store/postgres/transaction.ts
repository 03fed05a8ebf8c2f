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
  postgresKeys,
  postgresValues,
  toDollars,
} from './dialect.ts'
import { endsConnection } from './failures.ts'
import { SignalSet } from './notifications/signal-set.ts'
import { NORMAL, type Timeouts, settingsOf, withTimeout } from './timeouts.ts'

export interface Transaction {
  columns: ColumnTypes
  timeouts?: Timeouts
  isPooled?: boolean
  /** Receives the signals of the commit. */
  publish?: (signals: Signal[]) => void
  clock?: Pick<DatabaseClock, 'startMeasurement'> | undefined
}

/**
 * `begin` returns the database's clock too, which saves a round trip. `publish` runs before the caller continues, so
 * that caches with the old state do not serve the caller's next request.
 */
export async function transact<T>(
  client: pg.PoolClient,
  { columns, timeouts = NORMAL, isPooled = false, publish, clock }: Transaction,
  run: (tx: Tx) => Promise<T>,
): Promise<T> {
  const responded = clock?.startMeasurement()
  const begin = `begin; ${settingsOf(timeouts, isPooled)} select ${NOW_SQL} as now`
  const begun = (await client.query(begin)) as unknown as Array<{ rows: Array<{ now: number }> }>
  const nowMs = Number(begun.at(-1)!.rows[0]!.now)
  responded?.(nowMs)
  const outgoing = new SignalSet()
  const query: Query = (sql, values) => client.query(withTimeout(timeouts, { ...toDollars(sql), values }))
  try {
    const result = await run(makeTx(query, columns, nowMs, outgoing))
    await client.query('commit')
    publish?.(outgoing.take())
    return result
  } catch (error) {
    // The pool destroys a broken connection, and the server rolls back.
    if (!endsConnection(error)) await client.query('rollback').catch(() => {})
    throw error
  }
}

type Query = (sql: string, values: Value[]) => Promise<pg.QueryResult>

export function makeTx(query: Query, columns: ColumnTypes, nowMs: number, outgoing: SignalSet): Tx {
  const insertRows = async <R>(rows: Row[], into: Parameters<typeof insertMany>[1]): Promise<R[]> => {
    const small = rows.filter(row => !isLarge(row))
    const statements = rows.filter(isLarge).map(row => insertOne(columns, into, row))
    if (small.length > 0) statements.unshift(insertMany(columns, into, small))
    const inserted: R[] = []
    for (const { sql, params } of statements) inserted.push(...((await query(sql, params)).rows as R[]))
    return inserted
  }
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
    insert: (table, rows, tail = '') => insertRows(rows, { table, tail }),
    insertLists: async ({ table, columns: names, derived, unless }, rows) => {
      if (rows.length === 0) return []
      const given = rows.map(row => Object.fromEntries(names.map((name, i) => [name, row[i]!])))
      if (unless === undefined) {
        await insertRows(given, { table, derived, tail: '' })
        return rows.map(() => true)
      }
      const key = names.slice(0, unless.key)
      const nameOf = (values: Value[]): string => JSON.stringify(values)
      const tail = `on conflict (${unless.on}) do nothing returning ${key.join(', ')}`
      const inserted = await insertRows<Row>(given, { table, derived, tail })
      const found = new Set(inserted.map(row => nameOf(key.map(column => row[column]!))))
      return rows.map(row => found.has(nameOf(row.slice(0, key.length))))
    },
    values: postgresValues,
    keys: postgresKeys,
    ids: postgresIds,
    among: postgresAmong,
    notify: signal => outgoing.add(signal),
  }
}

import pg from 'pg'
import type { Signals } from '../signals.ts'
import type { Row, Tx, Value } from '../tx.ts'
import {
  type ColumnTypes,
  insertMany,
  insertOne,
  isLarge,
  NOW_SQL,
  postgresIds,
  postgresValues,
  toDollars,
} from './dialect.ts'
import { endsConnection } from './failures.ts'
import { HOT, type Pace, settingsOf, withinPace } from './pace.ts'
import { OutgoingSignals } from './signal-payloads.ts'

export const CHANNEL = 'postern'

export interface Transaction {
  columns: ColumnTypes
  pace?: Pace
  isPooled?: boolean
  /** Hears of the change on this node. */
  here?: Signals
}

/**
 * `begin` brings the database's clock along, so a unit knows the time without another round trip. This node hears of
 * its own change before the caller does: what it remembers of the old state must not answer the caller's next request.
 */
export async function transact<T>(
  client: pg.PoolClient,
  { columns, pace = HOT, isPooled = false, here }: Transaction,
  run: (tx: Tx) => Promise<T>,
): Promise<T> {
  const begin = `begin; ${settingsOf(pace, isPooled)} select ${NOW_SQL} as now`
  const begun = (await client.query(begin)) as unknown as Array<{ rows: Array<{ now: number }> }>
  const outgoing = new OutgoingSignals()
  const query: Query = (sql, values) => client.query(withinPace(pace, { ...toDollars(sql), values }))
  try {
    const result = await run(makeTx(query, columns, Number(begun.at(-1)!.rows[0]!.now), outgoing))
    // Wake-ups and the commit are one round trip.
    const notices = outgoing.payloads().map(payload => `notify ${CHANNEL}, ${pg.escapeLiteral(payload)};`)
    await client.query(`${notices.join(' ')} commit`)
    if (here !== undefined) for (const signal of outgoing.all()) here.emit(signal)
    return result
  } catch (error) {
    // A connection that is no good is destroyed by whoever lent it, and the server rolls back by itself.
    if (!endsConnection(error)) await client.query('rollback').catch(() => {})
    throw error
  }
}

type Query = (sql: string, values: Value[]) => Promise<pg.QueryResult>

function makeTx(query: Query, columns: ColumnTypes, nowMs: number, outgoing: OutgoingSignals): Tx {
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
    notify: signal => outgoing.add(signal),
  }
}

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
import { OutgoingSignals } from './signal-payloads.ts'

export const CHANNEL = 'postern'

/**
 * `begin` brings the database's clock along, so a unit knows the time without another round trip. This node hears of
 * its own change before the caller does: what it remembers of the old state must not answer the caller's next request.
 */
export async function transact<T>(
  client: pg.PoolClient,
  columns: ColumnTypes,
  run: (tx: Tx) => Promise<T>,
  here?: Signals,
): Promise<T> {
  const begun = (await client.query(`begin; select ${NOW_SQL} as now`)) as unknown as Array<{
    rows: Array<{ now: number }>
  }>
  const outgoing = new OutgoingSignals()
  try {
    const result = await run(makeTx(client, columns, Number(begun[1]!.rows[0]!.now), outgoing))
    // Wake-ups and the commit are one round trip.
    const notices = outgoing.payloads().map(payload => `notify ${CHANNEL}, ${pg.escapeLiteral(payload)};`)
    await client.query(`${notices.join(' ')} commit`)
    if (here !== undefined) for (const signal of outgoing.all()) here.emit(signal)
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

function makeTx(client: pg.PoolClient, columns: ColumnTypes, nowMs: number, outgoing: OutgoingSignals): Tx {
  const query = (sql: string, params: Value[]) => client.query({ ...toDollars(sql), values: params })
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

import type pg from 'pg'
import type { SingleStatement } from '../single-statement.ts'
import type { Signal } from '../signals.ts'
import { toDollars } from './dialect.ts'

/** Runs a batch that is one statement: it commits itself, so there is no transaction to begin or roll back. */
export async function writeSingleStatement(
  client: pg.PoolClient,
  { statement, outcomes }: SingleStatement,
  { items, waits }: { items: unknown[]; waits: boolean },
  notify: (signals: Signal[]) => void,
): Promise<unknown[]> {
  const { sql, params } = statement(items, waits)
  const { rows } = await client.query({ ...toDollars(sql), values: params })
  const { results, signals } = outcomes(items, rows)
  notify(signals)
  return results
}

import type pg from 'pg'
import type { AtOnce } from '../at-once.ts'
import type { Signal } from '../signals.ts'
import { toDollars } from './dialect.ts'

/** Runs a batch that is one statement: it commits by itself, so there is nothing to begin or to roll back. */
export async function writeAtOnce(
  client: pg.PoolClient,
  { statement, outcomes }: AtOnce,
  { items, waits }: { items: unknown[]; waits: boolean },
  tell: (signals: Signal[]) => void,
): Promise<unknown[]> {
  const { sql, params } = statement(items, waits)
  const { rows } = await client.query({ ...toDollars(sql), values: params })
  const { results, signals } = outcomes(items, rows)
  tell(signals)
  return results
}

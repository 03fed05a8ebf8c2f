import type { Tx, Value } from '../transaction.ts'

export interface Some {
  table: string
  where: string
  /** What an index leads to, so that nothing else is read. */
  order?: string
  /** How many go at once: a commit stays short. */
  atMost: number
}

/** Removes some rows, past those that others hold, by the place that they lie in: nothing is looked for twice. */
export async function deleteSome(tx: Tx, { table, where, order, atMost }: Some, ...params: Value[]): Promise<number> {
  const found = (place: string): string =>
    `select ${place} from ${table} where ${where}${order === undefined ? '' : ` order by ${order}`} limit ${atMost}${tx.skipLocked}`
  const these = tx.dialect === 'postgres' ? `ctid = any(array(${found('ctid')}))` : `rowid in (${found('rowid')})`
  return await tx.run(`delete from ${table} where ${these}`, ...params)
}

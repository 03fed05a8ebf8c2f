import type { Tx } from '../../tx.ts'

export interface Old {
  table: string
  /** The columns that name a row. */
  key: string
  /** The column that says how old it is; times before `beforeMs` go. */
  time: string
  beforeMs: number
  /** How many go at once: a commit stays short. */
  atMost: number
}

/** Removes rows that are past their time, and answers how many. */
export async function dropOld(tx: Tx, { table, key, time, beforeMs, atMost }: Old): Promise<number> {
  return await tx.run(
    `delete from ${table} where (${key}) in (select ${key} from ${table} where ${time} < ? limit ${atMost})`,
    beforeMs,
  )
}

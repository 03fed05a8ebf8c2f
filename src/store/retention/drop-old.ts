import type { Tx } from '../transaction.ts'
import { deleteSome } from './delete-some.ts'

export interface Old {
  table: string
  /** The column that says how old it is, which an index leads to; values before `before` go. */
  time: string
  before: number
  atMost: number
}

/** Removes some rows of these tables that are past their time, the oldest first. Answers whether there may be more. */
export async function dropOld(tx: Tx, olds: Old[]): Promise<boolean> {
  let more = false
  for (const { table, time, before, atMost } of olds) {
    const removed = await deleteSome(tx, { table, where: `${time} < ?`, order: time, atMost }, before)
    more ||= removed === atMost
  }
  return more
}

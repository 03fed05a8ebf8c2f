import type { Signal } from './signals.ts'
import type { Fragment } from './tx.ts'

/**
 * A batch in one statement that commits itself, for an engine to which every question is a journey. It does what the unit
 * of the same name does, for the items that need no second look, and leaves the others untouched: those go through the
 * unit.
 */
export interface AtOnce<Item = unknown, Output = unknown, Row = unknown> {
  /** Whether the item may go this way at all. */
  fits(item: Item): boolean
  statement(items: Item[]): Fragment
  /** What came of each, by the rows that the statement has answered; `undefined` for those that it left. */
  outcomes(items: Item[], rows: Row[]): { results: Array<Output | undefined>; signals: Signal[] }
}

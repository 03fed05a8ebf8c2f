import type { Signal } from './signals.ts'
import type { Fragment } from './tx.ts'

/** The result of an item that was left because somebody holds what it needs. */
export const BUSY = Symbol('busy')

/**
 * A batch in one statement that commits itself, for an engine to which every question is a journey. It does what the unit
 * of the same name does, for the items that need no second look, and leaves the others untouched: those go through the
 * unit.
 */
export interface AtOnce<Item = unknown, Output = unknown, Row = unknown> {
  /** Whether the item may go this way at all. */
  fits(item: Item): boolean
  /** `waits`: for what others hold, where all items are of one lane. */
  statement(items: Item[], waits: boolean): Fragment
  /** What came of each, by the rows that the statement has answered; `undefined` for those that need a second look. */
  outcomes(items: Item[], rows: Row[]): { results: Array<Output | typeof BUSY | undefined>; signals: Signal[] }
}

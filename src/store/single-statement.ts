import type { Deferred } from './deferred.ts'
import type { Signal } from './signals.ts'
import type { Fragment } from './transaction.ts'

/**
 * A batch as one statement that commits itself, for databases where every statement is a round trip. It does what the
 * transaction of the same name does for the items that it can decide alone, and defers the others to that transaction.
 */
export interface SingleStatement<Item = unknown, Output = unknown, Row = unknown> {
  /** Whether the item can be written this way. */
  fits(item: Item): boolean
  /** `waits`: for rows that other transactions hold, if all items have the same key. */
  statement(items: Item[], waits: boolean): Fragment
  /** The result of each item, from the rows that the statement returned. */
  outcomes(items: Item[], rows: Row[]): { results: Array<Output | Deferred>; signals: Signal[] }
}

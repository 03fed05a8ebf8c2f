import type { Deferred } from './deferred.ts'
import type { Signal } from './signals.ts'
import type { Fragment } from './transaction.ts'

/** The time of a statement, in the forms that its rows need. */
export const MOMENT = `moment as materialized (
  select now, to_char(at, 'YYYY-MM') as month, to_char(at, 'YYYY-MM-DD') as day, now / 3600000 as hour
  from (select now, to_timestamp(now / 1000.0) at time zone 'UTC' as at
        from (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now) n) t
)`

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

import type { Signal } from './signals.ts'

/** What a column holds, in both engines: text, integers and floats, bytes. Times are Unix milliseconds. */
export type Value = string | number | Uint8Array | null
export type Row = Record<string, Value>
export type ColumnType = 'text' | 'bigint' | 'double precision'

/**
 * What reads: a connection outside of a transaction, or the inside of a unit. SQL is written once, with `?` for
 * parameters, in the common subset of SQLite and PostgreSQL; the members that are texts cover where the two differ.
 */
export interface Reader {
  readonly dialect: 'sqlite' | 'postgres'
  /** The database's clock inside a statement. */
  readonly nowSql: string
  /** The database's clock; inside a unit, when the unit began. */
  now(): Promise<number>
  all<R>(sql: string, ...params: Value[]): Promise<R[]>
  get<R>(sql: string, ...params: Value[]): Promise<R | undefined>
  /** Rows as a table to select or update from: `update t set a = r.a from ${r.sql} r where t.id = r.id`. */
  values(columns: Record<string, ColumnType>, rows: Array<Record<string, string | number | null>>): Fragment
  /** Ids as a table of one column, `id`. */
  ids(ids: readonly string[]): Fragment
  /**
   * ` and column in (…)`, said besides a join with rows that name the same ids: without it, PostgreSQL reads the whole of a
   * queue that it takes for empty. Nothing where joins are made in the order that they are written in.
   */
  among(column: string, ids: readonly string[]): Fragment
}

/** The inside of one atomic unit of work. Whatever reads can be part of it. */
export interface Tx extends Reader {
  /** The database's clock when the unit began. */
  readonly nowMs: number
  /** ` for update` where rows are locked one by one, empty where one writer has the whole database. */
  readonly forUpdate: string
  /** The same, past rows that another unit has locked. */
  readonly skipLocked: string
  /** Runs a statement and answers how many rows it changed. */
  run(sql: string, ...params: Value[]): Promise<number>
  /** Inserts rows that all have the same columns; `tail` is `on conflict …` and `returning …`. */
  insert<R = Row>(table: string, rows: Row[], tail?: string): Promise<R[]>
  /** Wakes whoever listens for it, on every node, once the unit is committed. A hint: polling is the truth. */
  notify(signal: Signal): void
}

export interface Fragment {
  sql: string
  params: Value[]
}

/** Data that the database refuses, such as a broken constraint: the fault of one item, never of its neighbours. */
export class DataError extends Error {
  override name = 'DataError'
}

/** The database cannot be reached, or whether it committed is unknown. Safe to try again with the same key. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

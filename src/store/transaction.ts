import type { Signal } from './signals.ts'

/** The value of a column, in both engines: text, integers and floats, bytes. Times are Unix milliseconds. */
export type Value = string | number | Uint8Array | null
export type Row = Record<string, Value>
export type ColumnType = 'text' | 'bigint' | 'double precision'

/**
 * Runs queries: outside of a transaction, or inside one. SQL is written once, with `?` for parameters, in the common
 * subset of SQLite and PostgreSQL; the string members cover the differences.
 */
export interface Reader {
  readonly dialect: 'sqlite' | 'postgres'
  /** The database's clock inside a statement. */
  readonly nowSql: string
  /** The database's clock; inside a transaction, its start. */
  now(): Promise<number>
  all<R>(sql: string, ...params: Value[]): Promise<R[]>
  get<R>(sql: string, ...params: Value[]): Promise<R | undefined>
  /** Rows as a table to select or update from: `update t set a = r.a from ${r.sql} r where t.id = r.id`. */
  values(columns: Record<string, ColumnType>, rows: Array<Record<string, string | number | null>>): Fragment
  /** The same for keys: the rows with them are found one by one, however many there are. PostgreSQL counts no keys. */
  keys(columns: Record<string, ColumnType>, rows: Array<Record<string, string | number | null>>): Fragment
  /** Ids as a table of one column, `id`. */
  ids(ids: readonly string[]): Fragment
  /**
   * ` and column in (…)`, in addition to a join with rows that have the same ids: without it, PostgreSQL reads a whole
   * queue that its statistics show as empty. An empty string for SQLite, which joins in the written order.
   */
  among(column: string, ids: readonly string[]): Fragment
}

/** The inside of one transaction. */
export interface Tx extends Reader {
  /** The database's clock at the start of the transaction. */
  readonly nowMs: number
  /** ` for update` on PostgreSQL; empty on SQLite, which has one writer. */
  readonly forUpdate: string
  /** The same, skipping rows that another transaction has locked. */
  readonly skipLocked: string
  /** Runs a statement and returns how many rows it changed. */
  run(sql: string, ...params: Value[]): Promise<number>
  /** Inserts rows that all have the same columns; `tail` is `on conflict …` and `returning …`. */
  insert<R = Row>(table: string, rows: Row[], tail?: string): Promise<R[]>
  /** Inserts rows as lists of values; returns for each whether it was inserted. For the most frequent inserts. */
  insertLists(insert: ListInsert, rows: Value[][]): Promise<boolean[]>
  /** Wakes listeners in every process after the commit. It is only a hint: listeners poll too. */
  notify(signal: Signal): void
}

/** An insert whose columns never change, so that its statement is written and prepared once. */
export interface ListInsert {
  readonly table: string
  /** In the order of the values. */
  readonly columns: readonly string[]
  /** Further columns as expressions of the others, `given.<column>`: each value that a statement is given costs time. */
  readonly derived?: Readonly<Record<string, string>>
  /** A row is left out if an existing one has the same values in the columns `on`. The first `key` columns identify it. */
  readonly unless?: { readonly on: string; readonly key: number }
}

export interface Fragment {
  sql: string
  params: Value[]
}

/** Data that the database rejects, such as a violated constraint: the fault of one item, not of others in its batch. */
export class DataError extends Error {
  override name = 'DataError'
}

/** The database is unreachable, or the outcome of the commit is unknown. Safe to repeat with the same key. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

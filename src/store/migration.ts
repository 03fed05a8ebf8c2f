/**
 * One step of the schema: a list of statements that both engines accept. `{clustered}` after a table of small rows keeps
 * them in the order of the primary key on SQLite, which saves the index of the key. Forward only; never edited once
 * released.
 */
export interface Migration {
  version: number
  name: string
  statements: string[]
  /** Statements for PostgreSQL only, such as storage parameters. */
  postgresOnly?: string[]
  /**
   * `create index if not exists …` and `drop index if exists …` on large tables: PostgreSQL runs them after the
   * transaction, without blocking writers, and again at every start.
   */
  concurrently?: string[]
  /** The oldest schema version whose program may run beside this one; without it, no older program may. */
  oldestReader?: number
}

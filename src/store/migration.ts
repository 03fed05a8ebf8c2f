/** One step of the schema: a list of statements that both engines accept. Forward only; never edited once released. */
export interface Migration {
  version: number
  name: string
  statements: string[]
  /** What PostgreSQL alone needs besides, such as storage parameters. */
  postgresOnly?: string[]
  /** `create index if not exists …` on large tables: PostgreSQL makes them after the commit, while others write. */
  concurrently?: string[]
  /** The oldest version whose program may work beside it; where it is left out, none does that does not know it. */
  oldestReader?: number
}

/** One step of the schema: a list of statements that both engines accept. Forward only; never edited once released. */
export interface Migration {
  version: number
  name: string
  statements: string[]
  /** What PostgreSQL alone needs besides, such as storage parameters. */
  postgresOnly?: string[]
}

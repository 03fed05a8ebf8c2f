import type { Context } from '../context.ts'
import { SCHEMA_VERSION } from '../store/migrate.ts'
import { withStore } from './operator-client.ts'
import { printResult } from './terminal.ts'
import { endWhenSignalled } from './when-interrupted.ts'

export const migrateHelp = `postern migrate [--json]

Migrates the database to the schema of this version, and creates the tables of
an empty one. \`postern start\` does this automatically; use this command to do it
before a rollout. The command waits up to POSTERN_DATABASE_WAIT for PostgreSQL
(60s; 0: no wait).

  --json   print the database and its schema version as JSON, for scripts`

export async function migrate({ json }: { json?: boolean }, env: NodeJS.ProcessEnv): Promise<void> {
  const report = async ({ config }: Context) => {
    const where = config.databaseUrl === null ? config.dataDir : 'PostgreSQL'
    printResult(
      json,
      { database: where, schema_version: SCHEMA_VERSION },
      () => `The database (${where}) is at schema version ${SCHEMA_VERSION}.`,
    )
  }
  endWhenSignalled()
  await withStore(env, report, { waits: true })
}

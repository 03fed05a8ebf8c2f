import type { Context } from '../context.ts'
import { SCHEMA_VERSION } from '../store/migrate.ts'
import { withStore } from './operator-client.ts'
import { answer } from './terminal.ts'
import { endWhenSignalled } from './when-interrupted.ts'

export const migrateHelp = `postern migrate [--json]

Brings the database up to date; an empty one gets its tables. \`postern start\`
does the same by itself; use this to do it ahead of a rollout. PostgreSQL that
does not answer yet is waited for up to POSTERN_DATABASE_WAIT (60s; 0: not at
all).

  --json   which database it was and its schema version as JSON, for a script`

export async function migrate({ json }: { json?: boolean }, env: NodeJS.ProcessEnv): Promise<void> {
  const say = async ({ config }: Context) => {
    const where = config.databaseUrl === null ? config.dataDir : 'PostgreSQL'
    answer(
      json,
      { database: where, schema_version: SCHEMA_VERSION },
      () => `The database (${where}) is at schema version ${SCHEMA_VERSION}.`,
    )
  }
  endWhenSignalled()
  await withStore(env, say, { waits: true })
}

import type { Context } from '../context.ts'
import { SCHEMA_VERSION } from '../store/migrate.ts'
import { withStore } from './operator-client.ts'
import { endWhenSignalled } from './when-interrupted.ts'

export const migrateHelp = `postern migrate

Brings the database up to date; an empty one gets its tables. \`postern start\` does the same by itself; use this to do
it ahead of a rollout. PostgreSQL that does not answer yet is waited for up to POSTERN_DATABASE_WAIT (60s; 0: not at all).`

export async function migrate(env: NodeJS.ProcessEnv): Promise<void> {
  const say = async ({ config }: Context) => {
    const where = config.databaseUrl === null ? config.dataDir : 'PostgreSQL'
    console.log(`The database (${where}) is at schema version ${SCHEMA_VERSION}.`)
  }
  endWhenSignalled()
  await withStore(env, say, { waits: true })
}

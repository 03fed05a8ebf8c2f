import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from './clock.ts'
import { type Config, ConfigError } from './config.ts'
import { databaseEndpoints } from './database-endpoints.ts'
import { makeId } from './domain/ids.ts'
import { ABOUT_KEY_CHECK } from './domain/sealed.ts'
import { type Log, makeLog } from './log.ts'
import { type Metrics, makeMetrics } from './metrics.ts'
import { createTargetPolicy, parseRanges, type TargetPolicy } from './net/address-guard.ts'
import { createOwnEndpoints, type OwnEndpoints } from './net/own-endpoints.ts'
import { NewerSchema } from './store/migrate.ts'
import { Seal } from './store/seal.ts'
import { lockDataFolder } from './store/sqlite/data-folder.ts'
import { openSqliteStore } from './store/sqlite/sqlite-store.ts'
import type { Store } from './store/store.ts'

/** Everything that the roles share. The only place where parts are put together. */
export interface Context {
  config: Config
  /** Names this process in leases; a new one at every start. */
  nodeId: string
  store: Store
  seal: Seal
  clock: Clock
  log: Log
  metrics: Metrics
  /** Which addresses customers may make the gateway talk to. */
  targets: TargetPolicy
  /** What this process and the other nodes listen on. */
  endpoints: OwnEndpoints
  close(): Promise<void>
}

export async function createContext(config: Config, overrides: Partial<Context> = {}): Promise<Context> {
  const seal = new Seal(config.secretKeys)
  const { store, release } = await openStore(config)
  try {
    await checkSecretKey(store, seal)
  } catch (error) {
    await store.close()
    release()
    throw error
  }
  const endpoints = createOwnEndpoints()
  if (config.databaseUrl !== null) endpoints.set('database', await databaseEndpoints(config.databaseUrl))
  return {
    config,
    nodeId: makeId('node'),
    store,
    seal,
    clock: systemClock,
    log: makeLog(config.logLevel),
    metrics: makeMetrics(),
    targets: targetsOf(config, endpoints, overrides.clock ?? systemClock),
    endpoints,
    close: async () => {
      await store.close()
      release()
    },
    ...overrides,
  }
}

/** Where customers may make the gateway go; only webhooks need https, and only in production. */
export const targetsOf = (
  config: Pick<Config, 'mode' | 'allowedTargets' | 'publicUrl'>,
  endpoints: OwnEndpoints,
  clock: Clock,
): TargetPolicy =>
  createTargetPolicy({
    clock,
    requireHttps: config.mode === 'production',
    allowedRanges: parseRanges(config.allowedTargets),
    ownOrigins: () => (config.publicUrl === null ? [] : [config.publicUrl]),
    ownEndpoints: endpoints.all,
  })

async function openStore(config: Config): Promise<{ store: Store; release: () => void }> {
  if (config.databaseUrl !== null) {
    try {
      const { openPostgresStore } = await import('./store/postgres/postgres-store.ts')
      return { store: await openPostgresStore({ url: config.databaseUrl }), release: () => {} }
    } catch (error) {
      if (error instanceof NewerSchema) throw new ConfigError(`POSTERN_DATABASE_URL: ${error.message}`)
      throw new ConfigError(
        `POSTERN_DATABASE_URL: the database does not answer (${reason(error)}). Check that it runs and that the address, user and password are right.`,
      )
    }
  }
  const lock = lockDataFolder(config.dataDir)
  try {
    return { store: await openSqliteStore({ dataDir: config.dataDir }), release: lock.release }
  } catch (error) {
    lock.release()
    if (error instanceof NewerSchema) throw new ConfigError(`POSTERN_DATA_DIR: ${error.message}`)
    throw new ConfigError(`POSTERN_DATA_DIR: the database in ${config.dataDir} cannot be opened (${reason(error)}).`)
  }
}

/** A known text sealed at the first start: it opens only under the right key. */
async function checkSecretKey(store: Store, seal: Seal): Promise<void> {
  const fresh = seal.seal(randomBytes(16), ABOUT_KEY_CHECK).toString('base64')
  const settled = await store.nodes.settleSetting({ name: 'key_check', value: fresh })
  try {
    seal.open(Buffer.from(settled, 'base64'), ABOUT_KEY_CHECK)
  } catch {
    throw new ConfigError(
      'POSTERN_SECRET_KEY is not the key that this data was sealed with. Set the old key, or list both as new,old.',
    )
  }
}

const reason = (error: unknown): string => (error as Error).message.replace(/postgres(ql)?:\/\/\S+/g, 'postgres://…')

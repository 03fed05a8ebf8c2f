import { randomBytes } from 'node:crypto'
import {
  type DatabaseWaitProgress,
  waitForDatabase,
  type DatabaseWait,
  reasonOf,
  retryWhileStarting,
} from './boot/wait-for-database.ts'
import { type Clock, systemClock } from './runtime/clock.ts'
import { type Config, ConfigError } from './config.ts'
import { databaseEndpoints } from './boot/database-address.ts'
import { makeId } from './domain/ids.ts'
import { LOCAL_TOKEN_PREFIX } from './boot/local-access.ts'
import { makeToken } from './domain/token.ts'
import { PlatformIds } from './domain/platform-ids.ts'
import { ABOUT_KEY_CHECK } from './domain/sealed.ts'
import { type Log, makeLog, countErrors } from './observability/log.ts'
import { type Metrics, makeMetrics } from './observability/metrics.ts'
import { createTargetPolicy, parseRanges, type TargetPolicy } from './net/address-guard.ts'
import { createOwnEndpoints, type OwnEndpoints } from './net/own-endpoints.ts'
import { NewerSchema } from './store/migrate.ts'
import type { PostgresOptions } from './store/postgres/postgres-store.ts'
import { MediaFiles } from './store/media/media-files.ts'
import { Seal } from './store/seal.ts'
import { DatabaseClock } from './runtime/database-clock.ts'
import { lockDataFolder } from './store/sqlite/data-folder.ts'
import { openSqliteStore } from './store/sqlite/sqlite-store.ts'
import type { Store } from './store/store.ts'
import { StoreUnavailable } from './store/transaction.ts'
import { openTracing } from './observability/tracing/open-tracing.ts'
import type { Tracing } from './observability/tracing/tracing.ts'
import { VERSION } from './version.ts'

/** Everything that the roles share, and the only place where it is put together. */
export interface Context {
  config: Config
  /** The owner name of this process in leases; new at every start. */
  nodeId: string
  /** Authenticates commands that can read the data folder; new at every start. */
  localToken: string
  store: Store
  seal: Seal
  /** The bytes of uploaded and received files. */
  mediaFiles: MediaFiles
  platformIds: PlatformIds
  /** The database's time, if the database has its own clock. */
  clock: Clock
  /** The same, for checks of how far this machine's clock is off. */
  databaseClock: DatabaseClock
  log: Log
  metrics: Metrics
  /** `null` if tracing is off. */
  tracing: Tracing | null
  /** The addresses that customers may make the gateway connect to. */
  targets: TargetPolicy
  /** The endpoints of this process and of the other nodes. */
  endpoints: OwnEndpoints
  close(): Promise<void>
}

/** Calls `onDatabaseWait` every few seconds while the database does not answer yet. */
export async function createContext(
  config: Config,
  overrides: Partial<Context> = {},
  onDatabaseWait: (progress: DatabaseWaitProgress) => void = () => {},
): Promise<Context> {
  const own = overrides.clock ?? systemClock
  const databaseClock = new DatabaseClock(own)
  const metrics = overrides.metrics ?? makeMetrics()
  metrics.info.set({ version: VERSION, roles: config.roles.join(',') }, 1)
  const log =
    overrides.log ??
    countErrors(makeLog(config.logLevel, config.logFormat, own), event => metrics.errors.inc({ event }))
  const seal = new Seal(config.secretKeys)
  const nodeId = overrides.nodeId ?? makeId('node')
  const { store, release } = await openStore(config, nodeId, databaseClock, progress => {
    log.warn(asFields(progress), 'database.awaited')
    onDatabaseWait(progress)
  })
  let platformIds: PlatformIds
  try {
    const wait = { clock: own, limitMs: config.databaseWaitMs }
    await retryWhileStarting(wait, () => checkSecretKey(store, seal))
    platformIds = await retryWhileStarting(wait, () => readPlatformIds(store))
  } catch (error) {
    await store.close()
    release()
    throw error
  }
  const tracing = await openTracing(config.tracing, { clock: databaseClock, log, instance: nodeId })
  const endpoints = createOwnEndpoints()
  if (config.databaseUrl !== null) {
    endpoints.set('database', await databaseEndpoints([config.databaseUrl, config.databaseDirectUrl]))
  }
  return {
    config,
    nodeId,
    localToken: LOCAL_TOKEN_PREFIX + makeToken(),
    store,
    seal,
    mediaFiles: new MediaFiles(config, store),
    platformIds,
    databaseClock,
    log,
    metrics,
    tracing,
    targets: targetsOf(config, endpoints, databaseClock),
    endpoints,
    close: async () => {
      await tracing?.close()
      await store.close()
      release()
    },
    ...overrides,
    clock: databaseClock,
  }
}

/** The policy for targets of customers; only webhooks need https, and only in production. */
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

interface Opened {
  store: Store
  release(): void
}

async function openStore(
  config: Config,
  nodeId: string,
  clock: DatabaseClock,
  onProgress: DatabaseWait['onProgress'],
): Promise<Opened> {
  const { databaseUrl: url, databaseDirectUrl: directUrl, databaseWaitMs, listen } = config
  if (url !== null) {
    const options = { url, directUrl, address: nodeId, listen, clock }
    return await openPostgres(options, databaseWaitMs, { clock, onProgress })
  }
  const lock = lockDataFolder(config.dataDir)
  try {
    return { store: await openSqliteStore({ dataDir: config.dataDir }), release: lock.release }
  } catch (error) {
    lock.release()
    if (error instanceof NewerSchema) throw new ConfigError(`POSTERN_DATA_DIR: ${error.message}`)
    throw new ConfigError(`POSTERN_DATA_DIR: the database in ${config.dataDir} cannot be opened (${reasonOf(error)}).`)
  }
}

async function openPostgres(
  options: PostgresOptions,
  limitMs: number,
  { clock, onProgress }: { clock: DatabaseClock; onProgress: DatabaseWait['onProgress'] },
): Promise<Opened> {
  const { openPostgresStore } = await import('./store/postgres/postgres-store.ts')
  const { serverOf } = await import('./store/postgres/server-of.ts')
  const { host, port } = serverOf(options.directUrl ?? options.url)
  const wait = { clock, limitMs, at: `${host}:${port}`, onProgress }
  try {
    const store = await waitForDatabase(wait, () => openPostgresStore(options))
    return { store, release: () => {} }
  } catch (error) {
    if (error instanceof NewerSchema) throw new ConfigError(`POSTERN_DATABASE_URL: ${error.message}`)
    const isUnreachable = error instanceof StoreUnavailable && limitMs > 0
    const waited = isUnreachable ? ` within ${limitMs / 1_000}s (POSTERN_DATABASE_WAIT)` : ''
    throw new ConfigError(
      `POSTERN_DATABASE_URL: the database does not answer (${reasonOf(error)})${waited}. Check that it runs and that the address, user and password are right.`,
    )
  }
}

/** A known text, sealed at the first start: it opens only with the right key. */
async function checkSecretKey(store: Pick<Store, 'settings'>, seal: Seal): Promise<void> {
  const fresh = seal.seal(randomBytes(16), ABOUT_KEY_CHECK).toString('base64')
  const stored = await store.settings.initSetting({ name: 'key_check', value: fresh })
  try {
    seal.open(Buffer.from(stored, 'base64'), ABOUT_KEY_CHECK)
  } catch {
    throw new ConfigError(
      'POSTERN_SECRET_KEY is not the key that encrypted this data. Set the old key, or list both as new,old.',
    )
  }
}

/**
 * The key is created at the first start and never changes. It is not sealed: the ids that it relates are in the same
 * database, and a rotation of the secret key would separate messages from their ids.
 */
async function readPlatformIds(store: Pick<Store, 'settings'>): Promise<PlatformIds> {
  const fresh = randomBytes(16).toString('base64')
  return new PlatformIds(await store.settings.initSetting({ name: 'platform_id_key', value: fresh }))
}

const asFields = ({ at, reason, waitedMs, limitMs }: DatabaseWaitProgress) => ({
  database: at,
  reason,
  waited_ms: Math.round(waitedMs),
  limit_ms: limitMs,
})

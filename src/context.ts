import { randomBytes } from 'node:crypto'
import { type AwaitedDatabase, awaitDatabase, type DatabaseWait, reasonOf, whileStarting } from './await-database.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Config, ConfigError } from './config.ts'
import { databaseEndpoints } from './database-endpoints.ts'
import { makeId } from './domain/ids.ts'
import { LOCAL_TOKEN_PREFIX } from './local-access.ts'
import { makeToken } from './domain/token.ts'
import { ABOUT_KEY_CHECK } from './domain/sealed.ts'
import { type Log, makeLog, tellErrors } from './log.ts'
import { type Metrics, makeMetrics } from './metrics.ts'
import { createTargetPolicy, parseRanges, type TargetPolicy } from './net/address-guard.ts'
import { createOwnEndpoints, type OwnEndpoints } from './net/own-endpoints.ts'
import { NewerSchema } from './store/migrate.ts'
import type { PostgresOptions } from './store/postgres/postgres-store.ts'
import { Seal } from './store/seal.ts'
import { StoreClock } from './store-clock.ts'
import { lockDataFolder } from './store/sqlite/data-folder.ts'
import { openSqliteStore } from './store/sqlite/sqlite-store.ts'
import type { Store } from './store/store.ts'
import { StoreUnavailable } from './store/tx.ts'
import { openTracing } from './tracing/open-tracing.ts'
import type { Tracing } from './tracing/tracing.ts'
import { VERSION } from './version.ts'

/** Everything that the roles share. The only place where parts are put together. */
export interface Context {
  config: Config
  /** Names this process in leases; a new one at every start. */
  nodeId: string
  /** Lets in commands that can read the data folder; a new one at every start. */
  localToken: string
  store: Store
  seal: Seal
  /** The database's time, where it has a clock of its own. */
  clock: Clock
  /** The same, for whoever asks how far this machine's own clock is off. */
  storeClock: StoreClock
  log: Log
  metrics: Metrics
  /** `null` where nobody collects spans. */
  tracing: Tracing | null
  /** Which addresses customers may make the gateway talk to. */
  targets: TargetPolicy
  /** What this process and the other nodes listen on. */
  endpoints: OwnEndpoints
  close(): Promise<void>
}

/** `sayAwaited` hears every few seconds of a database that has to come up first. */
export async function createContext(
  config: Config,
  overrides: Partial<Context> = {},
  sayAwaited: (awaited: AwaitedDatabase) => void = () => {},
): Promise<Context> {
  const own = overrides.clock ?? systemClock
  const storeClock = new StoreClock(own)
  const metrics = overrides.metrics ?? makeMetrics()
  metrics.info.set({ version: VERSION, roles: config.roles.join(',') }, 1)
  const log =
    overrides.log ?? tellErrors(makeLog(config.logLevel, config.logFormat, own), event => metrics.errors.inc({ event }))
  const seal = new Seal(config.secretKeys)
  const nodeId = overrides.nodeId ?? makeId('node')
  const { store, release } = await openStore(config, nodeId, storeClock, awaited => {
    log.warn(asFields(awaited), 'database.awaited')
    sayAwaited(awaited)
  })
  try {
    await whileStarting({ clock: own, limitMs: config.databaseWaitMs }, () => checkSecretKey(store, seal))
  } catch (error) {
    await store.close()
    release()
    throw error
  }
  const tracing = await openTracing(config.tracing, { clock: storeClock, log, instance: nodeId })
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
    storeClock,
    log,
    metrics,
    tracing,
    targets: targetsOf(config, endpoints, storeClock),
    endpoints,
    close: async () => {
      await tracing?.close()
      await store.close()
      release()
    },
    ...overrides,
    clock: storeClock,
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

interface Opened {
  store: Store
  release(): void
}

async function openStore(config: Config, nodeId: string, clock: StoreClock, say: DatabaseWait['say']): Promise<Opened> {
  const { databaseUrl: url, databaseDirectUrl: directUrl, databaseWaitMs, listen } = config
  if (url !== null) {
    const options = { url, directUrl, address: nodeId, listen, clock }
    return await openPostgres(options, databaseWaitMs, { clock, say })
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
  { clock, say }: { clock: StoreClock; say: DatabaseWait['say'] },
): Promise<Opened> {
  const { openPostgresStore } = await import('./store/postgres/postgres-store.ts')
  const { serverOf } = await import('./store/postgres/server-of.ts')
  const { host, port } = serverOf(options.directUrl ?? options.url)
  const wait = { clock, limitMs, at: `${host}:${port}`, say }
  try {
    const store = await awaitDatabase(wait, () => openPostgresStore(options))
    return { store, release: () => {} }
  } catch (error) {
    if (error instanceof NewerSchema) throw new ConfigError(`POSTERN_DATABASE_URL: ${error.message}`)
    const isAway = error instanceof StoreUnavailable && limitMs > 0
    const waited = isAway ? `, and did not for ${limitMs / 1_000}s (POSTERN_DATABASE_WAIT)` : ''
    throw new ConfigError(
      `POSTERN_DATABASE_URL: the database does not answer (${reasonOf(error)})${waited}. Check that it runs and that the address, user and password are right.`,
    )
  }
}

/** A known text sealed at the first start: it opens only under the right key. */
async function checkSecretKey(store: Pick<Store, 'nodes'>, seal: Seal): Promise<void> {
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

const asFields = ({ at, reason, waitedMs, limitMs }: AwaitedDatabase) => ({
  database: at,
  reason,
  waited_ms: Math.round(waitedMs),
  limit_ms: limitMs,
})

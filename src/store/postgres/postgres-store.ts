import pg from 'pg'
import { migrate } from '../migrate.ts'
import { runUnit, type UnitName } from '../run-unit.ts'
import { Signals } from '../signals.ts'
import { bindStore, type Store } from '../store.ts'
import { StoreUnavailable } from '../tx.ts'
import { ColumnTypes } from './dialect.ts'
import { isConnectionError, isRetryable, toFailure } from './failures.ts'
import { Listener } from './listener.ts'
import { makeReader } from './reader.ts'
import { decodeSignals } from './signal-payloads.ts'
import { CHANNEL, transact } from './transaction.ts'

const MIGRATION_LOCK = 7_063_519
const MAX_TRIES = 5

export interface PostgresOptions {
  url: string
  poolSize?: number
  /** For tests of migrations: stop at this version. */
  upTo?: number
}

/** Opens PostgreSQL, migrating it first under a lock that all nodes share. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const columns = new ColumnTypes()
  await migrateUnderLock(options, columns)
  const pool = openPool(options)
  const signals = new Signals()
  const listener = new Listener(options.url, CHANNEL, payload => {
    for (const signal of decodeSignals(payload)) signals.emit(signal)
  })
  const bound = bindStore({
    write: (unit, input) => writeUnit({ pool, columns, signals }, unit, input),
    reader: makeReader(pool),
    signals,
    batchesInFlight: 2,
    startBatchAt: 16,
  })
  return {
    ...bound,
    attach: () => ({ kind: 'postgres', url: options.url }),
    close: async () => {
      await listener.close()
      await pool.end()
    },
  }
}

function openPool({ url, poolSize = 10 }: PostgresOptions): pg.Pool {
  const pool = new pg.Pool({
    ...connection(url),
    max: poolSize,
    statement_timeout: 30_000,
    // A database behind a dead line ends nothing by itself.
    query_timeout: 35_000,
    // A process that was paused inside a unit holds its locks no longer than this: less than a lease lasts.
    idle_in_transaction_session_timeout: 3_000,
  })
  pool.on('error', () => {})
  // A connection that ends while a unit holds it says so twice: to the query, and as an event that must have a listener.
  pool.on('connect', client => client.on('error', () => {}))
  return pool
}

const connection = (url: string) => ({
  connectionString: url,
  types: { getTypeParser },
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
})

/** On a connection of its own: a change of a large table may take longer than any other statement may. */
async function migrateUnderLock({ url, upTo }: PostgresOptions, columns: ColumnTypes): Promise<void> {
  const pool = new pg.Pool({ ...connection(url), max: 1 })
  const client = await connect(pool)
  client.on('error', () => {})
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await transact(client, columns, tx => migrate(tx, upTo))
    await columns.load(client)
  } catch (error) {
    throw isConnectionError(error) ? new StoreUnavailable((error as Error).message, { cause: error }) : error
  } finally {
    // The lock ends with the connection.
    client.release(true)
    await pool.end()
  }
}

interface Parts {
  pool: pg.Pool
  columns: ColumnTypes
  signals: Signals
}

async function writeUnit({ pool, columns, signals }: Parts, unit: UnitName, input: unknown): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const client = await connect(pool)
    let isBroken = false
    try {
      return await transact(client, columns, tx => runUnit(tx, unit, input), signals)
    } catch (error) {
      if (isRetryable(error) && attempt < MAX_TRIES) continue
      const failure = toFailure(error)
      isBroken = failure instanceof StoreUnavailable && isConnectionError(error)
      throw failure
    } finally {
      client.release(isBroken)
    }
  }
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw new StoreUnavailable((error as Error).message, { cause: error })
  }
}

const INT8 = 20
const NUMERIC = 1700

/** Times, counts and sums stay below 2^53, so they are plain numbers. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8 || oid === NUMERIC) return Number
  return pg.types.getTypeParser(oid, format as 'text')
}

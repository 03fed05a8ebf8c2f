import pg from 'pg'
import { migrate, NewerSchema } from '../migrate.ts'
import { Signals } from '../signals.ts'
import { bindStore, type Store } from '../store.ts'
import { DataError, type Reader, type Row, StoreUnavailable, type Tx, type Value } from '../tx.ts'
import { runUnit, type UnitName } from '../run-unit.ts'
import { ColumnTypes, insertMany, insertOne, isLarge, postgresValues, toDollars } from './dialect.ts'
import { listen } from './listen.ts'
import { decodeSignals, OutgoingSignals } from './signal-payloads.ts'

const CHANNEL = 'postern'
const MIGRATION_LOCK = 7_063_519
/** Data exceptions and broken constraints: the caller's data, not the server's state. */
const DATA_ERROR = /^2[23]/
const RETRYABLE = /^40/

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
  const pool = new pg.Pool({
    ...connection(options.url),
    max: options.poolSize ?? 10,
    statement_timeout: 30_000,
    // A database behind a dead line ends nothing by itself.
    query_timeout: 35_000,
    // A process that was paused inside a unit holds its locks no longer than this: less than a lease lasts.
    idle_in_transaction_session_timeout: 3_000,
  })
  pool.on('error', () => {})
  // A connection that ends while a unit holds it says so twice: to the query, and as an event that must have a listener.
  pool.on('connect', client => client.on('error', () => {}))
  const signals = new Signals()
  const listener = listen(options.url, CHANNEL, payload => {
    for (const signal of decodeSignals(payload)) signals.emit(signal)
  })
  const bound = bindStore({
    write: (unit, input) => writeUnit(pool, columns, signals, unit, input),
    reader: reader(pool),
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

async function writeUnit(
  pool: pg.Pool,
  columns: ColumnTypes,
  signals: Signals,
  unit: UnitName,
  input: unknown,
): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const client = await connect(pool)
    let broken = false
    try {
      return await transact(client, columns, tx => runUnit(tx, unit, input), signals)
    } catch (error) {
      const code = (error as { code?: string }).code
      if (error instanceof NewerSchema) throw error
      if (code !== undefined && RETRYABLE.test(code) && attempt < 5) continue
      if (code !== undefined && DATA_ERROR.test(code)) throw new DataError((error as Error).message)
      if (code === undefined && !isConnectionError(error)) throw error
      broken = isConnectionError(error)
      throw new StoreUnavailable((error as Error).message)
    } finally {
      client.release(broken)
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

/** EPIPE has five capitals, as SQLSTATE codes have; none of those begins with an E. */
const SYSTEM_ERROR = /^E[A-Z]+$/

function isConnectionError(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string }
  return (
    (code !== undefined && (!/^[0-9A-Z]{5}$/.test(code) || SYSTEM_ERROR.test(code))) ||
    (code !== undefined && /^(08|57|53)/.test(code)) ||
    /terminated|closed|timeout|not queryable/i.test(message)
  )
}

/**
 * `begin` brings the database's clock along, so a unit knows the time without another round trip. This node hears of
 * its own change before the caller does: what it remembers of the old state must not answer the caller's next request.
 */
async function transact<T>(
  client: pg.PoolClient,
  columns: ColumnTypes,
  run: (tx: Tx) => Promise<T>,
  here?: Signals,
): Promise<T> {
  const begun = (await client.query(
    'begin; select (extract(epoch from clock_timestamp()) * 1000)::bigint as now',
  )) as unknown as Array<{ rows: Array<{ now: number }> }>
  const outgoing = new OutgoingSignals()
  try {
    const result = await run(makeTx(client, columns, Number(begun[1]!.rows[0]!.now), outgoing))
    // Wake-ups and the commit are one round trip.
    const notices = outgoing.payloads().map(payload => `notify ${CHANNEL}, ${pg.escapeLiteral(payload)};`)
    await client.query(`${notices.join(' ')} commit`)
    if (here !== undefined) for (const signal of outgoing.all()) here.emit(signal)
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

function makeTx(client: pg.PoolClient, columns: ColumnTypes, nowMs: number, outgoing: OutgoingSignals): Tx {
  const query = (sql: string, params: Value[]) => client.query({ ...toDollars(sql), values: params })
  return {
    dialect: 'postgres',
    nowMs,
    forUpdate: ' for update',
    skipLocked: ' for update skip locked',
    all: async <R>(sql: string, ...params: Value[]) => (await query(sql, params)).rows as R[],
    get: async <R>(sql: string, ...params: Value[]) => (await query(sql, params)).rows[0] as R | undefined,
    run: async (sql, ...params) => (await query(sql, params)).rowCount ?? 0,
    insert: async <R>(table: string, rows: Row[], tail = '') => {
      const small = rows.filter(row => !isLarge(row))
      const statements = rows.filter(isLarge).map(row => insertOne(table, row, tail))
      if (small.length > 0) statements.unshift(insertMany(columns, table, small, tail))
      const inserted: R[] = []
      for (const { sql, params } of statements) inserted.push(...((await query(sql, params)).rows as R[]))
      return inserted
    },
    values: postgresValues,
    notify: signal => outgoing.add(signal),
  }
}

function reader(pool: pg.Pool): Reader {
  const query = async (sql: string, params: Value[]) => {
    try {
      return await pool.query({ ...toDollars(sql), values: params })
    } catch (error) {
      if (isConnectionError(error)) throw new StoreUnavailable((error as Error).message)
      throw error
    }
  }
  return {
    dialect: 'postgres',
    all: async <R>(sql: string, ...params: Value[]) => (await query(sql, params)).rows as R[],
    get: async <R>(sql: string, ...params: Value[]) => (await query(sql, params)).rows[0] as R | undefined,
    values: postgresValues,
    now: async () => {
      const { rows } = await query('select (extract(epoch from clock_timestamp()) * 1000)::bigint as now', [])
      return rows[0].now as number
    },
  }
}

const INT8 = 20
const NUMERIC = 1700

/** Times, counts and sums stay below 2^53, so they are plain numbers. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8 || oid === NUMERIC) return Number
  return pg.types.getTypeParser(oid, format as 'text')
}

import pg from 'pg'
import { systemClock } from '../../runtime/clock.ts'
import { MIGRATIONS, migrate } from '../migrate.ts'
import type { Migration } from '../migration.ts'
import type { DatabaseClock } from '../../runtime/database-clock.ts'
import type { DatabaseAddress } from '../store.ts'
import { StoreUnavailable } from '../transaction.ts'
import { connect, connectionTo } from './connections.ts'
import { ColumnTypes } from './dialect.ts'
import { endsConnection, isRetryable } from './failures.ts'
import { MIGRATING } from './timeouts.ts'
import { transact } from './transaction.ts'

const MIGRATION_LOCK = 7_063_519
const INDEX_LOCK = 7_063_520
/** How long a migration waits for a table lock: all writers of the table wait behind it. */
const LOCK_WAIT_MS = 2_000
const LOCK_TRIES = 30
const PAUSE_MS = 500
const LOCK_NOT_AVAILABLE = '55P03'

export interface MigrationOptions {
  /** For tests of migrations: stop at this version. */
  upTo?: number
  /** For tests of migrations: replaces those of this program. */
  migrations?: readonly Migration[]
  /** In a thread: its process has migrated already. */
  isMigrated?: boolean
  /** Receives the database's time. */
  clock?: Pick<DatabaseClock, 'startMeasurement'>
}

/** Migrates on a separate connection, since it may take longer than any other statement. */
export async function prepareSchema(options: DatabaseAddress & MigrationOptions): Promise<ColumnTypes> {
  const { url, directUrl, isMigrated = false } = options
  const isPooled = directUrl === null
  const pool = new pg.Pool({ ...connectionTo(directUrl ?? url, isPooled), max: 1 })
  const client = await connect(pool)
  client.on('error', () => {})
  const columns = new ColumnTypes()
  try {
    if (!isMigrated) {
      await migrateUnderLock(client, { ...options, columns, isPooled })
      await makeIndexes(client, { ...options, isPooled })
    }
    await columns.load(client)
    return columns
  } catch (error) {
    throw endsConnection(error) ? new StoreUnavailable((error as Error).message, { cause: error }) : error
  } finally {
    client.release(true)
    await pool.end()
  }
}

interface Locked extends MigrationOptions {
  columns: ColumnTypes
  isPooled: boolean
}

/** The lock is bound to the transaction, so that it works behind a pooler. */
async function migrateUnderLock(client: pg.PoolClient, options: Locked): Promise<void> {
  const { columns, isPooled, clock, upTo, migrations } = options
  const lock = { text: 'select pg_advisory_xact_lock($1)', values: [MIGRATION_LOCK] }
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(client, { columns, isPooled, timeouts: MIGRATING, clock }, async tx => {
        await client.query(lock)
        await client.query(`set local lock_timeout = ${LOCK_WAIT_MS}`)
        await migrate(tx, upTo, migrations)
      })
    } catch (error) {
      if (!hasGivenWay(error) || attempt >= LOCK_TRIES) throw error
      await systemClock.sleep(PAUSE_MS)
    }
  }
}

/** Lost a deadlock, or a lock timed out. */
const hasGivenWay = (error: unknown): boolean =>
  (error as { code?: string }).code === LOCK_NOT_AVAILABLE || isRetryable(error)

const CHANGE = /^(create|drop) (?:unique )?index if (?:not )?exists (\w+)/i

/**
 * Builds and drops indexes outside of any transaction, one process at a time. A waiting process polls the lock instead of
 * waiting inside the database, because an index build waits for all open transactions.
 */
async function makeIndexes(client: pg.PoolClient, options: Omit<Locked, 'columns'>): Promise<void> {
  const { upTo, migrations = MIGRATIONS, isPooled } = options
  const known = migrations.filter(({ version }) => version <= (upTo ?? Number.POSITIVE_INFINITY))
  const statements = known.flatMap(({ concurrently = [] }) => concurrently)
  if (statements.length === 0) return
  // A pooler in transaction mode would keep the lock.
  if (!isPooled) await lockIndexes(client)
  for (const statement of statements) await changeIndex(client, statement, !isPooled)
}

async function lockIndexes(client: pg.PoolClient): Promise<void> {
  const tryLock = { text: 'select pg_try_advisory_lock($1) as held', values: [INDEX_LOCK] }
  while (!(await client.query(tryLock)).rows[0].held) await systemClock.sleep(PAUSE_MS)
}

/** An invalid index was left by an interrupted build: it is not used, but it blocks the name. */
async function changeIndex(client: pg.PoolClient, statement: string, isLocked: boolean): Promise<void> {
  const [, verb, name] = CHANGE.exec(statement)!
  const isValid = await validityOf(client, name!)
  if (isValid === (verb === 'create' ? true : undefined)) return
  if (verb === 'create' && isValid === false && isLocked) await client.query(`drop index concurrently ${name}`)
  await client.query(statement.replace(' index ', ' index concurrently '))
}

/** `undefined`: there is no such index. */
async function validityOf(client: pg.PoolClient, name: string): Promise<boolean | undefined> {
  const text = 'select indisvalid from pg_index i join pg_class c on c.oid = i.indexrelid where c.relname = $1'
  return (await client.query<{ indisvalid: boolean }>(text, [name])).rows[0]?.indisvalid
}

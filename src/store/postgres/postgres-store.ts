import pg from 'pg'
import type { StoreClock } from '../../store-clock.ts'
import type { AtOnce } from '../at-once.ts'
import { migrate } from '../migrate.ts'
import { runUnit, type UnitName } from '../run-unit.ts'
import type { Signal } from '../signals.ts'
import { isSlow } from '../slow-units.ts'
import { bindStore, type DatabaseAddress, type Store } from '../store.ts'
import { StoreUnavailable, type Tx } from '../tx.ts'
import { connect, Connections, connectionTo } from './connections.ts'
import { ColumnTypes } from './dialect.ts'
import { endsConnection, isRetryable, toFailure } from './failures.ts'
import type { NoticeBoard } from './notices/notice-board.ts'
import { type NoticeSettings, openNotices } from './notices/open-notices.ts'
import { HOT, type Pace, SLOW, UNHURRIED } from './pace.ts'
import { makeReader } from './reader.ts'
import { transact } from './transaction.ts'
import { writeAtOnce } from './write-at-once.ts'

const MIGRATION_LOCK = 7_063_519
const MAX_TRIES = 5

export interface PostgresOptions extends DatabaseAddress, NoticeSettings {
  poolSize?: number
  /** Hears the database's time with its answers. */
  clock?: Pick<StoreClock, 'asking'>
  /** For tests: how old a connection may become. */
  maxAgeS?: number
  /** For tests of migrations: stop at this version. */
  upTo?: number
}

/** Opens PostgreSQL, migrating it first under a lock that all nodes share. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, poolSize: size = 10, maxAgeS, directUrl, clock } = options
  const columns = new ColumnTypes()
  await migrateUnderLock(options, columns)
  const isPooled = directUrl !== undefined
  const connections = new Connections({ url, size, isPooled, ...(maxAgeS === undefined ? {} : { maxAgeS }) })
  if (isPooled) await proveWay(connections)
  const { address = '', listen = true } = options
  const notices = openNotices(isPooled ? directUrl : url, options)
  const parts: Parts = { connections, columns, isPooled, notices, clock }
  const bound = bindStore({
    write: (unit, input) => writeUnit(parts, unit, input),
    // Behind a pooler a statement alone has no time limit: that is said where a unit begins.
    ...(isPooled ? {} : { writeAtOnce: (atOnce: AtOnce, items: unknown[]) => writeAll(parts, atOnce, items) }),
    reader: makeReader(connections, clock),
    readSlowly: read => inUnit(parts, SLOW, read),
    pulse: connections.pulse,
    signals: notices.signals,
    batchesInFlight: 2,
    startBatchAt: 16,
  })
  return {
    ...bound,
    attach: () => ({ kind: 'postgres', url, directUrl, address, listen, port: notices.attach() }),
    close: async () => {
      await notices.close()
      await connections.close()
    },
  }
}

/** The pooler may come up later than what stands behind it. */
async function proveWay(connections: Connections): Promise<void> {
  try {
    await connections.lend(async () => {})
  } catch (error) {
    await connections.close()
    throw error
  }
}

/** On a connection of its own: a change of a large table may take longer than any other statement may. */
async function migrateUnderLock({ url, directUrl, upTo, clock }: PostgresOptions, columns: ColumnTypes): Promise<void> {
  const isPooled = directUrl === null
  const pool = new pg.Pool({ ...connectionTo(directUrl ?? url, isPooled), max: 1 })
  const client = await connect(pool)
  client.on('error', () => {})
  const lock = { text: 'select pg_advisory_xact_lock($1)', values: [MIGRATION_LOCK] }
  try {
    // The lock ends with the transaction, so that a pooler bears it.
    await transact(client, { columns, isPooled, pace: UNHURRIED, clock }, async tx => {
      await client.query(lock)
      await migrate(tx, upTo)
    })
    await columns.load(client)
  } catch (error) {
    throw endsConnection(error) ? new StoreUnavailable((error as Error).message, { cause: error }) : error
  } finally {
    client.release(true)
    await pool.end()
  }
}

interface Parts {
  connections: Connections
  columns: ColumnTypes
  isPooled: boolean
  notices: NoticeBoard
  clock: PostgresOptions['clock']
}

async function writeUnit(parts: Parts, unit: UnitName, input: unknown): Promise<unknown> {
  return await inUnit(parts, isSlow(unit) ? SLOW : HOT, tx => runUnit(tx, unit, input))
}

async function writeAll(parts: Parts, atOnce: AtOnce, items: unknown[]): Promise<unknown[]> {
  const tell = (signals: Signal[]): void => parts.notices.tell(signals)
  return await lendAgain(parts, client => writeAtOnce(client, atOnce, items, tell))
}

async function inUnit<T>(parts: Parts, pace: Pace, run: (tx: Tx) => Promise<T>): Promise<T> {
  const { columns, isPooled, notices, clock } = parts
  const transaction = { columns, pace, isPooled, clock, tell: (signals: Signal[]) => notices.tell(signals) }
  return await lendAgain(parts, client => transact(client, transaction, run))
}

/** Two that have met are tried again, one after the other. */
async function lendAgain<T>({ connections }: Parts, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connections.lend(work)
    } catch (error) {
      if (!isRetryable(error) || attempt >= MAX_TRIES) throw toFailure(error)
    }
  }
}

import type pg from 'pg'
import type { DatabaseClock } from '../../runtime/database-clock.ts'
import type { SingleStatement } from '../single-statement.ts'
import { runTransaction, type TransactionName } from '../run-transaction.ts'
import type { Signal } from '../signals.ts'
import { isSlow } from '../slow-queries.ts'
import { bindStore, type DatabaseAddress, type Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { Connections } from './connections.ts'
import { type ColumnTypes, toDollars } from './dialect.ts'
import { isRetryable, toFailure } from './failures.ts'
import type { NotificationHub } from './notifications/notification-hub.ts'
import { type NotificationSettings, openNotifications } from './notifications/notifications.ts'
import { NORMAL, type Timeouts, SLOW } from './timeouts.ts'
import { type MigrationOptions, prepareSchema } from './prepare-schema.ts'
import { makeReader } from './reader.ts'
import { transact } from './transaction.ts'

const MAX_TRIES = 5

export interface PostgresOptions extends DatabaseAddress, NotificationSettings, MigrationOptions {
  poolSize?: number
  /** Receives the database's time with its responses. */
  clock?: Pick<DatabaseClock, 'startMeasurement'>
  /** For tests: how old a connection may become. */
  maxAgeS?: number
}

/** Opens PostgreSQL, and migrates it first under a lock that all processes share. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, poolSize: size = 10, maxAgeS, directUrl, clock } = options
  const columns = await prepareSchema(options)
  const isPooled = directUrl !== undefined
  const connections = new Connections({ url, size, isPooled, ...(maxAgeS === undefined ? {} : { maxAgeS }) })
  if (isPooled) await checkConnection(connections)
  const { address = '', listen = true } = options
  const notifications = openNotifications(isPooled ? directUrl : url, options)
  const deps: Deps = { connections, columns, isPooled, notifications, clock }
  const bound = bindStore({
    write: (transaction, input) => writeInTransaction(deps, transaction, input),
    // Behind a pooler a single statement has no timeout: only transactions set one.
    ...(isPooled ? {} : { writeSingleStatement: writeAll(deps) }),
    reader: makeReader(connections, clock),
    readSlowly: read => inTransaction(deps, SLOW, read),
    stallDetector: connections.stallDetector,
    signals: notifications.signals,
    hasOtherWriters: true,
  })
  return {
    ...bound,
    attach: () => ({ kind: 'postgres', url, directUrl, address, listen, port: notifications.attach() }),
    close: async () => {
      await notifications.close()
      await connections.close()
    },
  }
}

/** The pooler may start after the database. */
async function checkConnection(connections: Connections): Promise<void> {
  try {
    await connections.lend(async () => {})
  } catch (error) {
    await connections.close()
    throw error
  }
}

interface Deps {
  connections: Connections
  columns: ColumnTypes
  isPooled: boolean
  notifications: NotificationHub
  clock: PostgresOptions['clock']
}

async function writeInTransaction(deps: Deps, transaction: TransactionName, input: unknown): Promise<unknown> {
  return await inTransaction(deps, isSlow(transaction) ? SLOW : NORMAL, tx => runTransaction(tx, transaction, input))
}

function writeAll(deps: Deps): (statement: SingleStatement, items: unknown[], waits: boolean) => Promise<unknown[]> {
  const publish = (signals: Signal[]): void => deps.notifications.publish(signals)
  return (statement, items, waits) =>
    lendWithRetry(deps, client => writeSingleStatement(client, statement, { items, waits }, publish))
}

async function inTransaction<T>(deps: Deps, timeouts: Timeouts, run: (tx: Tx) => Promise<T>): Promise<T> {
  const { columns, isPooled, notifications, clock } = deps
  const transaction = {
    columns,
    timeouts,
    isPooled,
    clock,
    publish: (signals: Signal[]) => notifications.publish(signals),
  }
  return await lendWithRetry(deps, client => transact(client, transaction, run))
}

/** Repeats transactions that deadlocked, one after the other. */
async function lendWithRetry<T>({ connections }: Deps, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connections.lend(work)
    } catch (error) {
      if (!isRetryable(error) || attempt >= MAX_TRIES) throw toFailure(error)
    }
  }
}

/** Runs a batch that is one statement: it commits itself, so there is no transaction to begin or roll back. */
async function writeSingleStatement(
  client: pg.PoolClient,
  { statement, outcomes }: SingleStatement,
  { items, waits }: { items: unknown[]; waits: boolean },
  notify: (signals: Signal[]) => void,
): Promise<unknown[]> {
  const { sql, params } = statement(items, waits)
  const { rows } = await client.query({ ...toDollars(sql), values: params })
  const { results, signals } = outcomes(items, rows)
  notify(signals)
  return results
}

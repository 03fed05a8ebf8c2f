import type pg from 'pg'
import type { StoreClock } from '../../store-clock.ts'
import type { AtOnce } from '../at-once.ts'
import { runUnit, type UnitName } from '../run-unit.ts'
import type { Signal } from '../signals.ts'
import { isSlow } from '../slow-units.ts'
import { bindStore, type DatabaseAddress, type Store } from '../store.ts'
import type { Tx } from '../tx.ts'
import { Connections } from './connections.ts'
import type { ColumnTypes } from './dialect.ts'
import { isRetryable, toFailure } from './failures.ts'
import type { NoticeBoard } from './notices/notice-board.ts'
import { type NoticeSettings, openNotices } from './notices/open-notices.ts'
import { HOT, type Pace, SLOW } from './pace.ts'
import { type MigrationOptions, prepareSchema } from './prepare-schema.ts'
import { makeReader } from './reader.ts'
import { transact } from './transaction.ts'
import { writeAtOnce } from './write-at-once.ts'

const MAX_TRIES = 5

export interface PostgresOptions extends DatabaseAddress, NoticeSettings, MigrationOptions {
  poolSize?: number
  /** Hears the database's time with its answers. */
  clock?: Pick<StoreClock, 'asking'>
  /** For tests: how old a connection may become. */
  maxAgeS?: number
}

/** Opens PostgreSQL, migrating it first under a lock that all nodes share. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, poolSize: size = 10, maxAgeS, directUrl, clock } = options
  const columns = await prepareSchema(options)
  const isPooled = directUrl !== undefined
  const connections = new Connections({ url, size, isPooled, ...(maxAgeS === undefined ? {} : { maxAgeS }) })
  if (isPooled) await proveWay(connections)
  const { address = '', listen = true } = options
  const notices = openNotices(isPooled ? directUrl : url, options)
  const parts: Parts = { connections, columns, isPooled, notices, clock }
  const bound = bindStore({
    write: (unit, input) => writeUnit(parts, unit, input),
    // Behind a pooler a statement alone has no time limit: that is said where a unit begins.
    ...(isPooled ? {} : { writeAtOnce: writeAll(parts) }),
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

function writeAll(parts: Parts): (atOnce: AtOnce, items: unknown[], waits: boolean) => Promise<unknown[]> {
  const tell = (signals: Signal[]): void => parts.notices.tell(signals)
  return (atOnce, items, waits) => lendAgain(parts, client => writeAtOnce(client, atOnce, { items, waits }, tell))
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

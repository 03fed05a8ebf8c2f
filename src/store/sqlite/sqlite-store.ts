import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { systemClock } from '../../runtime/clock.ts'
import { bundledThread } from '../../runtime/package-folder.ts'
import { NewerSchema } from '../migrate.ts'
import { Signals } from '../signals.ts'
import { bindStore, type Store } from '../store.ts'
import type { Reader, Value } from '../transaction.ts'
import { CheckpointSignal } from './checkpoint-signal.ts'
import { databasePath } from './data-folder.ts'
import { Connection, NOW_SQL, openDatabase, sqliteAmong, sqliteIds, sqliteValues } from './driver.ts'
import type { Started, ToWriter } from './protocol.ts'
import { WriterClient } from './writer-client.ts'

export interface SqliteOptions {
  dataDir: string
  /** For tests of migrations: stop at this version. */
  upTo?: number
}

/**
 * A quarter of the default. What many transactions leave behind stays until the thread has made as much again: 0.15 MB for
 * each of 200 numbers that were linked.
 */
const WRITER_OBJECTS = { maxYoungGenerationSizeMb: 12 }
/** For a thread that makes hardly any garbage. */
const FEW_OBJECTS = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 }

const COMPACT_POLL_MS = 100

/** Opens the embedded database: one writer thread, one checkpoint thread, and readers in every thread that opens it. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const path = databasePath(options.dataDir)
  const checkpoints = new CheckpointSignal()
  const written = checkpoints.buffer
  const writer = new Worker(bundledThread('writer-thread'), {
    workerData: { path, upTo: options.upTo, written },
    resourceLimits: WRITER_OBJECTS,
  })
  await started(writer)
  let closing = false
  // Without its writer the gateway cannot work, so the process ends and its supervisor restarts it.
  writer.once('exit', () => {
    if (!closing) throw new Error('the thread that writes to the database has ended')
  })
  const checkpointer = new Worker(bundledThread('checkpoint-thread'), {
    workerData: { path, written },
    resourceLimits: FEW_OBJECTS,
  })
  checkpointer.unref()
  const { bound, connection } = connectTo(path, writer)
  return {
    ...bound,
    attach: () => {
      const { port1, port2 } = new MessageChannel()
      writer.postMessage({ attach: port2 }, [port2])
      return { kind: 'sqlite', path, port: port1 }
    },
    compact: async signal => {
      while (!signal.aborted) {
        checkpoints.askToCompact()
        await systemClock.sleep(COMPACT_POLL_MS)
        const outcome = checkpoints.compacted()
        if (outcome !== undefined) return outcome
      }
      return 'stopped'
    },
    close: async () => {
      closing = true
      checkpoints.close()
      await exit(checkpointer)
      connection.close()
      writer.postMessage({ close: true } satisfies ToWriter)
      await exit(writer)
    },
  }
}

/** Opens the same store in another thread, over the port that `attach` returned. */
export function attachSqliteStore(handle: { path: string; port: MessagePort }): Store {
  const { bound, connection } = connectTo(handle.path, handle.port)
  return {
    ...bound,
    attach: () => {
      throw new Error('attach from the thread that opened the store')
    },
    close: async () => {
      connection.close()
      handle.port.close()
    },
  }
}

const exit = (thread: Worker): Promise<void> => new Promise(resolve => thread.once('exit', () => resolve()))

function started(writer: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    writer.once('message', (message: Started) => {
      if ('ready' in message) return resolve()
      const { name, message: text } = message.failed
      reject(name === 'NewerSchema' ? new NewerSchema(text) : new Error(text))
    })
    writer.once('error', reject)
  })
}

function connectTo(path: string, port: Worker | MessagePort) {
  const signals = new Signals({ address: '', isOn: true, areCertain: true, onWanted: topic => client.listen(topic) })
  const client = new WriterClient(port, signals)
  const connection = new Connection(openDatabase(path, { readOnly: true }))
  const bound = bindStore({
    write: (transaction, input) => client.write(transaction, input),
    reader: makeReader(connection),
    signals,
    hasOtherWriters: false,
  })
  return { bound, connection }
}

const makeReader = (connection: Connection): Reader => ({
  dialect: 'sqlite',
  nowSql: NOW_SQL,
  // SQLite uses this machine's clock.
  now: async () => systemClock.now().getTime(),
  all: async <R>(sql: string, ...params: Value[]) => connection.all<R>(sql, params),
  get: async <R>(sql: string, ...params: Value[]) => connection.get<R>(sql, params),
  values: sqliteValues,
  keys: sqliteValues,
  ids: sqliteIds,
  among: sqliteAmong,
})

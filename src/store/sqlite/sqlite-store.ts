import { join } from 'node:path'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { compiledThread } from '../../thread.ts'
import { NewerSchema } from '../migrate.ts'
import { Signals } from '../signals.ts'
import { bindStore, type Store } from '../store.ts'
import { DataError, type Reader, StoreUnavailable } from '../tx.ts'
import type { UnitName } from '../run-unit.ts'
import { Connection, openDatabase, sqliteValues } from './driver.ts'
import type { Call, FromWriter, Outcome } from './protocol.ts'

export interface SqliteOptions {
  dataDir: string
  /** For tests of migrations: stop at this version. */
  upTo?: number
}

/** Opens the embedded database: one writing thread, one that checkpoints, and readers on every thread that asks. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const path = databasePath(options.dataDir)
  const writer = new Worker(compiledThread('store/sqlite/writer-thread'), { workerData: { path, upTo: options.upTo } })
  await started(writer)
  let closing = false
  // A gateway that cannot write is none: whatever started it starts it again.
  writer.once('exit', () => {
    if (!closing) throw new Error('the thread that writes to the database has ended')
  })
  const checkpointer = new Worker(compiledThread('store/sqlite/checkpoint-thread'), { workerData: { path } })
  checkpointer.unref()
  const client = connectClient(path, writer, message => writer.postMessage(message))
  return {
    ...client,
    attach: () => {
      const { port1, port2 } = new MessageChannel()
      writer.postMessage({ attach: port2 }, [port2])
      return { kind: 'sqlite', path, port: port1 }
    },
    close: async () => {
      closing = true
      await ended(checkpointer)
      client.closeReader()
      await ended(writer)
    },
  }
}

/** The same store from another thread, over the port that `attach` gave. */
export function attachSqliteStore(handle: { path: string; port: MessagePort }): Store {
  const client = connectClient(handle.path, handle.port, message => handle.port.postMessage(message))
  return {
    ...client,
    attach: () => {
      throw new Error('attach from the thread that opened the store')
    },
    close: async () => {
      client.closeReader()
      handle.port.close()
    },
  }
}

export const databasePath = (dataDir: string): string => join(dataDir, 'postern.db')

/** Asks a thread to close its database, and waits until it has. */
function ended(thread: Worker): Promise<void> {
  return new Promise(resolve => {
    thread.once('exit', () => resolve())
    thread.postMessage({ close: true })
  })
}

function started(writer: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    writer.once('message', (message: { ready?: number[]; failed?: { name: string; message: string } }) => {
      if (message.failed === undefined) return resolve()
      reject(
        message.failed.name === 'NewerSchema'
          ? new NewerSchema(message.failed.message)
          : new Error(message.failed.message),
      )
    })
    writer.once('error', reject)
  })
}

function connectClient(path: string, port: Worker | MessagePort, post: (message: { calls: Call[] }) => void) {
  const signals = new Signals()
  const pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  let nextId = 0
  let outbox: Call[] = []

  const flush = () => {
    const calls = outbox
    outbox = []
    post({ calls })
  }
  const write = (unit: UnitName, input: unknown) =>
    new Promise<unknown>((resolve, reject) => {
      const id = nextId++
      pending.set(id, { resolve, reject })
      if (outbox.push({ id, unit, input }) === 1) queueMicrotask(flush)
    })
  const abandon = () => {
    for (const { reject } of pending.values()) reject(new StoreUnavailable('the database closed'))
    pending.clear()
  }
  port.on('message', (message: FromWriter) => {
    for (const outcome of message.outcomes) {
      const caller = pending.get(outcome.id)
      pending.delete(outcome.id)
      if (outcome.error === undefined) caller?.resolve(outcome.value)
      else caller?.reject(toError(outcome.error))
    }
    for (const signal of message.signals) signals.emit(signal)
  })
  port.on(port instanceof Worker ? 'exit' : 'close', abandon)

  const connection = new Connection(openDatabase(path, { readOnly: true }))
  const reader: Reader = {
    dialect: 'sqlite',
    all: async <R>(sql: string, ...params: Parameters<Reader['all']>[1][]) => connection.all<R>(sql, params),
    get: async <R>(sql: string, ...params: Parameters<Reader['all']>[1][]) => connection.get<R>(sql, params),
    values: sqliteValues,
    now: async () => Date.now(),
  }
  return {
    ...bindStore({ write, reader, signals, batchesInFlight: 2, startBatchAt: 32 }),
    closeReader: () => connection.close(),
  }
}

function toError(error: NonNullable<Outcome['error']>): Error {
  switch (error.kind) {
    case 'data':
      return new DataError(error.message)
    case 'unavailable':
      return new StoreUnavailable(error.message)
    case 'bug':
      return new Error(error.message)
    default: {
      const never: never = error.kind
      return never
    }
  }
}

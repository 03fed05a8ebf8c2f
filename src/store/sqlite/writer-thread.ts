import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { migrate } from '../migrate.ts'
import type { Signal } from '../signals.ts'
import type { Tx, Value } from '../tx.ts'
import { runUnit } from '../run-unit.ts'
import { Connection, openDatabase, sqliteValues } from './driver.ts'
import type { Call, Outcome, ToWriter } from './protocol.ts'

/** The one writer: takes whatever calls have gathered into one transaction, commits once, answers all. */
const connection = new Connection(openDatabase((workerData as { path: string }).path, { readOnly: false }))
connection.exec('pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 0')

const ports = new Set<MessagePort>([parentPort!])
const waiting: Array<{ port: MessagePort; call: Call }> = []
const MAX_CALLS = 64
let running = false
let signals: Signal[] = []
let nowMs = 0

const tx: Tx = {
  dialect: 'sqlite',
  get nowMs() {
    return nowMs
  },
  forUpdate: '',
  skipLocked: '',
  all: async <R>(sql: string, ...params: Value[]) => connection.all<R>(sql, params),
  get: async <R>(sql: string, ...params: Value[]) => connection.get<R>(sql, params),
  run: async (sql, ...params) => connection.run(sql, params),
  insert: async <R>(table: string, rows: Parameters<Tx['insert']>[1], tail = '') =>
    connection.insert<R>(table, rows, tail),
  values: sqliteValues,
  notify: signal => {
    signals.push(signal)
  },
}

async function perform(call: Call): Promise<Outcome> {
  const signalsBefore = signals.length
  connection.exec('savepoint unit')
  try {
    const value = await runUnit(tx, call.unit, call.input)
    connection.exec('release unit')
    return { id: call.id, value }
  } catch (error) {
    connection.exec('rollback to unit; release unit')
    signals.length = signalsBefore
    return { id: call.id, error: describe(error) }
  }
}

function describe(error: unknown): Outcome['error'] {
  const { message, errcode } = error as Error & { errcode?: number }
  const isConstraint = errcode !== undefined && [18, 19, 20, 25].includes(errcode & 0xff)
  if (isConstraint) return { kind: 'data', message }
  return { kind: errcode === undefined ? 'bug' : 'unavailable', message }
}

async function performAll(batch: Array<{ port: MessagePort; call: Call }>): Promise<void> {
  const outcomes: Array<{ port: MessagePort; outcome: Outcome }> = []
  signals = []
  try {
    connection.exec('begin immediate')
    nowMs = Date.now()
    for (const { port, call } of batch) outcomes.push({ port, outcome: await perform(call) })
    connection.exec('commit')
  } catch (error) {
    if (connection.database.isTransaction) connection.exec('rollback')
    signals = []
    outcomes.length = 0
    const failure: Outcome['error'] = { kind: 'unavailable', message: (error as Error).message }
    for (const { port, call } of batch) outcomes.push({ port, outcome: { id: call.id, error: failure } })
  }
  for (const port of ports) {
    const own = outcomes.filter(each => each.port === port).map(each => each.outcome)
    if (own.length > 0 || signals.length > 0) port.postMessage({ outcomes: own, signals })
  }
}

async function drain(): Promise<void> {
  if (running) return
  running = true
  try {
    while (waiting.length > 0) await performAll(waiting.splice(0, MAX_CALLS))
  } finally {
    running = false
  }
}

function listen(port: MessagePort): void {
  port.on('message', (message: ToWriter) => {
    if ('attach' in message) {
      ports.add(message.attach)
      message.attach.on('close', () => ports.delete(message.attach))
      listen(message.attach)
      return
    }
    if ('close' in message) {
      void drain().then(() => {
        connection.exec('pragma wal_checkpoint(truncate)')
        connection.close()
        process.exit(0)
      })
      return
    }
    for (const call of message.calls) waiting.push({ port, call })
    void drain()
  })
}

async function start(): Promise<void> {
  nowMs = Date.now()
  connection.exec('begin immediate')
  const { upTo } = workerData as { upTo?: number }
  const migrated = await migrate(tx, upTo)
  connection.exec('commit')
  parentPort!.postMessage({ ready: migrated })
  listen(parentPort!)
}

start().catch((error: unknown) => {
  parentPort!.postMessage({ failed: { name: (error as Error).name, message: (error as Error).message } })
})

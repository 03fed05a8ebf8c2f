import type { MessagePort } from 'node:worker_threads'
import type { Clock } from '../../runtime/clock.ts'
import { migrate } from '../migrate.ts'
import { runTransaction, codecOf } from '../run-transaction.ts'
import type { Signal, Topic } from '../signals.ts'
import type { Tx, Value } from '../transaction.ts'
import type { CheckpointSignal } from './checkpoint-signal.ts'
import { type Connection, NOW_SQL, sqliteAmong, sqliteIds, sqliteValues } from './driver.ts'
import type { WriteRequest, FromWriter, Outcome } from './protocol.ts'

interface PendingRequest {
  port: MessagePort
  request: WriteRequest
}

const MAX_BATCH = 64
/** Primary result codes for data that is too large, violates a constraint, has the wrong type or is out of range. */
const DATA_ERRORS = [18, 19, 20, 25]

const itemsOf = ({ input }: WriteRequest): number => (Array.isArray(input) ? input.length : 1)

/** The only writer: runs the waiting transactions as one, commits once, and responds to all. */
export class Writer {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #checkpoints: CheckpointSignal
  readonly #tx: Tx
  /** The topics whose signals a thread listens to. */
  readonly #topics = new Map<MessagePort, Set<Topic>>()
  readonly #waiting: PendingRequest[] = []
  #isRunning = false
  /** The signals of the current transaction. */
  #signals: Signal[] = []
  #nowMs = 0

  constructor(connection: Connection, clock: Clock, checkpoints: CheckpointSignal) {
    this.#connection = connection
    this.#clock = clock
    this.#checkpoints = checkpoints
    this.#tx = this.#makeTx()
  }

  async migrate(upTo?: number): Promise<number[]> {
    this.#begin()
    const migrated = await migrate(this.#tx, upTo)
    this.#connection.exec('commit')
    return migrated
  }

  /** Posts the signals of this topic to the port, in the order of the commits. */
  listen(port: MessagePort, topic: Topic): void {
    const topics = this.#topics.get(port) ?? new Set()
    this.#topics.set(port, topics.add(topic))
  }

  detach(port: MessagePort): void {
    this.#topics.delete(port)
  }

  enqueue(port: MessagePort, requests: WriteRequest[]): void {
    for (const request of requests) this.#waiting.push({ port, request })
    void this.drain()
  }

  /** Resolves when no transaction waits, or at once if another run is under way. */
  async drain(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      while (this.#waiting.length > 0) await this.#performAll(this.#waiting.splice(0, MAX_BATCH))
    } finally {
      this.#isRunning = false
    }
  }

  close(): void {
    this.#connection.exec('pragma wal_checkpoint(truncate)')
    this.#connection.close()
  }

  #begin(): void {
    this.#connection.exec('begin immediate')
    this.#nowMs = this.#clock.now().getTime()
    this.#signals = []
  }

  async #performAll(batch: PendingRequest[]): Promise<void> {
    const outcomes = (await this.#performPlainly(batch)) ?? (await this.#performApart(batch))
    for (const port of new Set([...batch.map(each => each.port), ...this.#topics.keys()])) {
      const own = outcomes.filter((_, i) => batch[i]!.port === port)
      const topics = this.#topics.get(port)
      const signals = topics === undefined ? [] : this.#signals.filter(({ about }) => topics.has(about))
      if (own.length > 0 || signals.length > 0) port.postMessage({ outcomes: own, signals } satisfies FromWriter)
    }
  }

  /** Without savepoints, which cost as much as a small insert. Returns nothing if a transaction failed. */
  async #performPlainly(batch: PendingRequest[]): Promise<Outcome[] | undefined> {
    const outcomes: Outcome[] = []
    try {
      this.#begin()
      for (const { request } of batch) outcomes.push({ id: request.id, value: await this.#run(request) })
      this.#commit(batch)
      return outcomes
    } catch (error) {
      this.#rollback()
      if (batch.length > 1 && !isOfDatabase(error)) return undefined
      return batch.map(({ request: { id } }) => ({ id, error: describe(error) }))
    }
  }

  /** Each in a savepoint, so that only those that fail are undone. */
  async #performApart(batch: PendingRequest[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    try {
      this.#begin()
      for (const { request } of batch) outcomes.push(await this.#performInSavepoint(request))
      this.#commit(batch)
      return outcomes
    } catch (error) {
      this.#rollback()
      const failure: Outcome['error'] = { kind: 'unavailable', message: (error as Error).message }
      return batch.map(({ request: { id } }) => ({ id, error: failure }))
    }
  }

  async #performInSavepoint(request: WriteRequest): Promise<Outcome> {
    const { id } = request
    const signalsBefore = this.#signals.length
    this.#connection.exec('savepoint item')
    try {
      const value = await this.#run(request)
      this.#connection.exec('release item')
      return { id, value }
    } catch (error) {
      this.#connection.exec('rollback to item; release item')
      this.#signals.length = signalsBefore
      return { id, error: describe(error) }
    }
  }

  #commit(batch: PendingRequest[]): void {
    this.#connection.exec('commit')
    this.#checkpoints.written(batch.reduce((sum, { request }) => sum + itemsOf(request), 0))
  }

  #rollback(): void {
    if (this.#connection.database.isTransaction) this.#connection.exec('rollback')
    this.#signals = []
  }

  async #run({ transaction, input }: WriteRequest): Promise<unknown> {
    const codec = codecOf(transaction)
    if (codec === undefined) return await runTransaction(this.#tx, transaction, input)
    const items = (input as unknown[]).map(item => codec.unpackItem(item))
    const results = (await runTransaction(this.#tx, transaction, items)) as unknown[]
    return results.map(result => codec.packResult(result))
  }

  #makeTx(): Tx {
    const connection = this.#connection
    const nowMs = (): number => this.#nowMs
    return {
      dialect: 'sqlite',
      nowSql: NOW_SQL,
      get nowMs() {
        return nowMs()
      },
      now: async () => nowMs(),
      forUpdate: '',
      skipLocked: '',
      all: async <R>(sql: string, ...params: Value[]) => connection.all<R>(sql, params),
      get: async <R>(sql: string, ...params: Value[]) => connection.get<R>(sql, params),
      run: async (sql, ...params) => connection.run(sql, params),
      insert: async <R>(table: string, rows: Parameters<Tx['insert']>[1], tail = '') =>
        connection.insert<R>(table, rows, tail),
      insertLists: async (insert, rows) => connection.insertLists(insert, rows),
      values: sqliteValues,
      keys: sqliteValues,
      ids: sqliteIds,
      among: sqliteAmong,
      notify: signal => {
        this.#signals.push(signal)
      },
    }
  }
}

/** The database is busy, locked, out of memory, read-only, broken or full: no transaction is at fault. */
const DATABASE_ERRORS = [5, 6, 7, 8, 10, 13, 14]

const isOfDatabase = (error: unknown): boolean =>
  DATABASE_ERRORS.includes(((error as { errcode?: number }).errcode ?? 0) & 0xff)

function describe(error: unknown): Outcome['error'] {
  const { message, errcode } = error as Error & { errcode?: number }
  if (errcode === undefined) return { kind: 'bug', message }
  return { kind: DATA_ERRORS.includes(errcode & 0xff) ? 'data' : 'unavailable', message }
}

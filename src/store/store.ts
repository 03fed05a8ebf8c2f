import type { MessagePort } from 'node:worker_threads'
import { getOwn } from '../runtime/get-own.ts'
import { batch, type BatchWriters } from './batch.ts'
import { repositories, type Repositories, type RepositoryName } from './repositories.ts'
import type { BatchExtras } from './repository.ts'
import type { TransactionName } from './run-transaction.ts'
import type { Signals } from './signals.ts'
import { isSlow } from './slow-queries.ts'
import type { StallDetector } from './stall-detector.ts'
import type { Reader } from './transaction.ts'

/**
 * Everything durable. Each method of a repository is one query or one transaction: when its promise resolves, the change
 * is on disk. No transaction leaves the store, so it may run in another thread or share a commit with others.
 */
export interface Store extends Repositories {
  signals: Signals
  /** The database's clock. */
  now(): Promise<number>
  /** The data that another thread needs to open the same store. */
  attach(): StoreHandle
  /**
   * Rewrites an embedded database, so that no free page and no log has what was deleted. Not there on other databases, and
   * in threads.
   */
  compact?: (signal: AbortSignal) => Promise<'compacted' | 'too_large' | 'stopped'>
  close(): Promise<void>
}

export type StoreHandle =
  | { kind: 'sqlite'; path: string; port: MessagePort }
  | ({ kind: 'postgres'; address: string; listen: boolean; port: MessagePort } & DatabaseAddress)

/** Where PostgreSQL is. */
export interface DatabaseAddress {
  url: string
  /**
   * The address of the database behind a pooler in transaction mode at `url`; `null`: there is none, and changes are
   * found by polling. Unset: `url` is the database itself.
   */
  directUrl?: string | null | undefined
}

interface Engine {
  write: (transaction: TransactionName, input: unknown) => Promise<unknown>
  /** Runs a batch as one statement, on databases where that is faster. */
  writeSingleStatement?: BatchWriters['writeSingleStatement']
  reader: Reader
  /** Runs a slow read, on databases where it needs a connection with a longer timeout. */
  readSlowly?: (read: (reader: Reader) => Promise<unknown>) => Promise<unknown>
  /** Present if the database may stop answering. */
  stallDetector?: StallDetector
  signals: Signals
  /** Whether other processes write too, so that rows may be locked. */
  hasOtherWriters: boolean
}

type Read = (reader: Reader, input: unknown) => Promise<unknown>

/** Makes the repositories' methods, over an engine that runs a transaction by its name. */
export function bindStore(engine: Engine): Omit<Store, 'attach' | 'close'> {
  const names = Object.keys(repositories) as RepositoryName[]
  const bound = Object.fromEntries(names.map(name => [name, bindRepository(engine, name)]))
  return { ...(bound as unknown as Repositories), signals: engine.signals, now: () => engine.reader.now() }
}

function bindRepository(engine: Engine, repository: RepositoryName): object {
  const { reads, writes, batches } = repositories[repository]
  const { singleStatements = {}, lockedItems = {} } = repositories[repository] as BatchExtras
  const { stallDetector, writeSingleStatement } = engine
  const options = { maxBatch: 256, inFlight: 2, startAt: 64, ...(stallDetector === undefined ? {} : { stallDetector }) }
  const write: BatchWriters['write'] = (name, items) => engine.write({ repository, name }, items) as Promise<unknown[]>
  const read = (Object.entries(reads) as Array<[string, Read]>).map(
    ([name, run]) => [name, bindRead(engine, isSlow({ repository, name }), run)] as const,
  )
  const written = Object.keys(writes).map(
    name => [name, (input: unknown) => engine.write({ repository, name }, input)] as const,
  )
  const batched = Object.keys(batches).map(name => {
    const own = {
      singleStatement: getOwn(singleStatements, name),
      lockedItems: engine.hasOtherWriters ? getOwn(lockedItems, name) : undefined,
    }
    return [name, batch(name, { write, writeSingleStatement, ...own }, options)] as const
  })
  return Object.fromEntries<unknown>([...read, ...written, ...batched])
}

function bindRead({ reader, readSlowly }: Engine, isSlow: boolean, run: Read): (input: unknown) => Promise<unknown> {
  if (!isSlow || readSlowly === undefined) return input => run(reader, input)
  return input => readSlowly(slow => run(slow, input))
}

import type { MessagePort } from 'node:worker_threads'
import { groupCommit } from './group-commit.ts'
import type { Signals } from './signals.ts'
import type { Reader } from './tx.ts'
import { type Batches, batches, type Reads, reads, type Writes, writes } from './units.ts'

type Bound<Units> = {
  [Name in keyof Units]: Units[Name] extends (tx: never, input: infer Input) => Promise<infer Output>
    ? (input: Input) => Promise<Output>
    : never
}
type BoundBatches<Units> = {
  [Name in keyof Units]: Units[Name] extends (tx: never, items: Array<infer Item>) => Promise<Array<infer Output>>
    ? (item: Item) => Promise<Output>
    : never
}

/**
 * Everything that is durable. Each method is one atomic unit (`units.ts`): when its promise resolves, the change is on
 * disk. No transaction leaves the store, so a unit may run in a thread or share a commit with others.
 */
export type Store = Bound<Writes> &
  Bound<Reads> &
  BoundBatches<Batches> & {
    signals: Signals
    /** The database's clock. */
    now(): Promise<number>
    /** What another thread needs to open the same store. */
    attach(): StoreHandle
    close(): Promise<void>
  }

export type StoreHandle = { kind: 'sqlite'; path: string; port: MessagePort } | { kind: 'postgres'; url: string }

interface Engine {
  write: (unit: keyof Writes, input: unknown) => Promise<unknown>
  reader: Reader
  signals: Signals
  batchesInFlight: number
  startBatchAt: number
}

/** Makes the store's methods from the units, over an engine that can run a unit by name. */
export function bindStore(engine: Engine): Omit<Store, 'attach' | 'close'> {
  const bound = new Map<string, unknown>([
    ['signals', engine.signals],
    ['now', () => engine.reader.now()],
  ])
  for (const name of Object.keys(writes) as Array<keyof Writes>) {
    bound.set(name, (input: unknown) => engine.write(name, input))
  }
  for (const [name, unit] of Object.entries(batches)) {
    const grouped = groupCommit(items => engine.write(unit, items) as Promise<unknown[]>, {
      maxBatch: 256,
      inFlight: engine.batchesInFlight,
      startAt: engine.startBatchAt,
    })
    bound.set(name, grouped)
  }
  for (const [name, read] of Object.entries(reads)) {
    const run = read as (reader: Reader, input: unknown) => Promise<unknown>
    bound.set(name, (input: unknown) => run(engine.reader, input))
  }
  return Object.fromEntries(bound) as Omit<Store, 'attach' | 'close'>
}

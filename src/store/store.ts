import type { MessagePort } from 'node:worker_threads'
import type { AtOnce } from './at-once.ts'
import { type Apart, type BatchWays, gather } from './gather.ts'
import { lookUp } from '../domain/look-up.ts'
import type { Pulse } from './pulse.ts'
import type { UnitName } from './run-unit.ts'
import type { Signals } from './signals.ts'
import { isSlow } from './slow-units.ts'
import type { Reader } from './tx.ts'
import { type AllDoors, allDoors, type Doors } from './units.ts'

type Bound<Units> = {
  [Name in keyof Units]: Units[Name] extends (tx: never) => Promise<infer Output>
    ? () => Promise<Output>
    : Units[Name] extends (tx: never, input: infer Input) => Promise<infer Output>
      ? (input: Input) => Promise<Output>
      : never
}
type BoundBatches<Units> = {
  [Name in keyof Units]: Units[Name] extends (tx: never, items: Array<infer Item>) => Promise<Array<infer Output>>
    ? (item: Item) => Promise<Output>
    : never
}
type BoundDoors<All> = {
  [Name in keyof All]: All[Name] extends { reads: infer R; writes: infer W; batches: infer B }
    ? Bound<R> & Bound<W> & BoundBatches<B>
    : never
}

/**
 * Everything that is durable, behind a door for each who asks (`units.ts`). Each method is one atomic unit: when its
 * promise resolves, the change is on disk. No transaction leaves the store, so a unit may run in a thread or share a
 * commit with others.
 */
export type Store = BoundDoors<Doors> & {
  signals: Signals
  /** The database's clock. */
  now(): Promise<number>
  /** What another thread needs to open the same store. */
  attach(): StoreHandle
  close(): Promise<void>
}

export type StoreHandle =
  | { kind: 'sqlite'; path: string; port: MessagePort }
  | ({ kind: 'postgres'; address: string; listen: boolean; port: MessagePort } & DatabaseAddress)

/** Where PostgreSQL is. */
export interface DatabaseAddress {
  url: string
  /**
   * Leads past a pooler at `url` that hands each transaction another session; `null`: nothing does, and wake-ups are
   * left to polling. Unset: `url` is the database itself.
   */
  directUrl?: string | null | undefined
}

/** The store with what no role asks for. */
export type WholeStore = Store & BoundDoors<AllDoors>

interface Engine {
  write: (unit: UnitName, input: unknown) => Promise<unknown>
  /** Runs a batch as one statement, where that is worth it. */
  writeAtOnce?: BatchWays['writeAtOnce']
  reader: Reader
  /** Where a read that goes through much of a table needs another way. */
  readSlowly?: (read: (reader: Reader) => Promise<unknown>) => Promise<unknown>
  /** Where the database may fall silent. */
  pulse?: Pulse
  signals: Signals
  batchesInFlight: number
  startBatchAt: number
}

type ReadUnit = (reader: Reader, input: unknown) => Promise<unknown>

/** Makes the store's methods from the units, over an engine that can run a unit by name. */
export function bindStore(engine: Engine): Omit<Store, 'attach' | 'close'> {
  const doors = (Object.keys(allDoors) as Array<keyof AllDoors>).map(door => [door, bindDoor(engine, door)])
  const store = { ...Object.fromEntries(doors), signals: engine.signals, now: () => engine.reader.now() }
  return store as Omit<Store, 'attach' | 'close'>
}

function bindDoor(engine: Engine, door: keyof AllDoors): object {
  const { reads, writes, batches } = allDoors[door]
  const { atOnce = {}, apart = {} } = allDoors[door] as {
    atOnce?: Record<string, AtOnce>
    apart?: Record<string, Apart>
  }
  const { batchesInFlight: inFlight, startBatchAt: startAt, pulse, writeAtOnce } = engine
  const options = { maxBatch: 256, inFlight, startAt, ...(pulse === undefined ? {} : { pulse }) }
  const write: BatchWays['write'] = (name, items) => engine.write({ door, name }, items) as Promise<unknown[]>
  const read = (Object.entries(reads) as Array<[string, ReadUnit]>).map(
    ([name, unit]) => [name, bindRead(engine, isSlow({ door, name }), unit)] as const,
  )
  const written = Object.keys(writes).map(
    name => [name, (input: unknown) => engine.write({ door, name }, input)] as const,
  )
  const gathered = Object.keys(batches).map(name => {
    const ways = { write, writeAtOnce, atOnce: lookUp(atOnce, name), apart: lookUp(apart, name) }
    return [name, gather(name, ways, options)] as const
  })
  return Object.fromEntries<unknown>([...read, ...written, ...gathered])
}

function bindRead(
  { reader, readSlowly }: Engine,
  isSlow: boolean,
  unit: ReadUnit,
): (input: unknown) => Promise<unknown> {
  if (!isSlow || readSlowly === undefined) return input => unit(reader, input)
  return input => readSlowly(slow => unit(slow, input))
}

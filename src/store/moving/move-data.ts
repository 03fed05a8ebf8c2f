import { createHash } from 'node:crypto'
import { ConfigError } from '../../boot/config-error.ts'
import type { Store } from '../store.ts'
import type { Row, Value } from '../transaction.ts'
import type { MoveProgress } from './marks.ts'
import type { TableShape } from './tables.ts'

/** The source or the target of a move. */
export interface End {
  store: Pick<Store, 'leases' | 'moving' | 'nodes' | 'now' | 'usage'>
  /** Names the database for people, without a password. */
  place: string
}

/** Receives the progress of each table. */
export interface MoveProgressListener {
  copied(table: string, rows: number, isWhole: boolean): void
  compared(table: string, rows: number, digest: string): void
}

/** A node with a more recent heartbeat may still write. */
const ALIVE_MS = 30_000

/**
 * Copies all tables, compares source and target row by row, and only then marks the source as moved, so that it does not
 * start any more. An interrupted move continues behind the last committed rows.
 */
export async function moveData(from: End, to: End, listener: MoveProgressListener): Promise<void> {
  await rejectRunning(from)
  await rejectRunning(to)
  await from.store.usage.foldUsage()
  const progress = await begin(from, to)
  const tables = await from.store.moving.listTables()
  await rejectOtherTables(tables, to)
  for (const table of tables) await copy(from, to, table, { progress, listener })
  for (const table of tables) await compare(from, to, table, listener)
  await from.store.moving.markMoved(to.place)
  await to.store.leases.freeAllLeases()
  await to.store.moving.endMove()
}

async function rejectRunning({ store, place }: End): Promise<void> {
  const nowMs = await store.now()
  const running = (await store.nodes.listNodes()).filter(({ seenAt }) => seenAt > nowMs - ALIVE_MS)
  if (running.length === 0) return
  throw new ConfigError(
    `${place}: ${running.length} of its processes ${running.length === 1 ? 'is' : 'are'} running, or ended less than 30 s ago. Stop the gateway, and run this again after 30 s.`,
  )
}

/** Returns the progress of an interrupted move, or starts a new one. */
async function begin(from: End, to: End): Promise<MoveProgress> {
  const [source, target] = [await from.store.moving.readMarks(), await to.store.moving.readMarks()]
  const { identity } = source
  if (identity === undefined || source.progress !== undefined)
    throw new ConfigError(`${from.place} is itself in the middle of a move: finish that one first.`)
  if (target.progress !== undefined) {
    if (target.progress.from === identity) return target.progress
    throw new ConfigError(`${to.place} contains part of another move. Choose an empty database.`)
  }
  if (source.movedTo !== undefined)
    throw new ConfigError(`${from.place} was moved to ${source.movedTo} already. Start the gateway there.`)
  if (!target.isEmpty) throw new ConfigError(`${to.place} holds data already. Give the move an empty database.`)
  await to.store.moving.beginMove(identity)
  return { from: identity, tables: {} }
}

/** Both have the same version of the schema, so a difference means that someone changed the tables by hand. */
async function rejectOtherTables(tables: TableShape[], to: End): Promise<void> {
  const there = await to.store.moving.listTables()
  const text = (shapes: TableShape[]) =>
    JSON.stringify(shapes.map(({ name, columns }) => [name, columns]).sort((a, b) => (a[0]! < b[0]! ? -1 : 1)))
  if (text(tables) !== text(there))
    throw new ConfigError(`${to.place} has other tables. Give the move an empty database.`)
}

async function copy(
  from: End,
  to: End,
  table: TableShape,
  { progress, listener }: { progress: MoveProgress; listener: MoveProgressListener },
): Promise<void> {
  const state = (progress.tables[table.name] ??= { after: null, rows: 0, isWhole: false })
  while (!state.isWhole) {
    const rows = await readAfter(from, table, state.after === null ? null : keyValues(state.after))
    const moved = table.name === 'settings' ? rows.filter(({ name }) => isMoved(String(name))) : rows
    state.rows += moved.length
    state.isWhole = rows.length === 0
    if (rows.length > 0) state.after = keyText(keyOf(table, rows.at(-1)!))
    await to.store.moving.writeRows({ table: table.name, rows: moved, progress })
    listener.copied(table.name, state.rows, state.isWhole)
  }
}

async function compare(from: End, to: End, table: TableShape, listener: MoveProgressListener): Promise<void> {
  const [here, there] = [await digestOf(from, table), await digestOf(to, table)]
  if (here.rows !== there.rows || here.text !== there.text)
    throw new ConfigError(
      `${table.name} differs after the copy (${here.rows} rows here, ${there.rows} there). Nothing was handed over: go on with ${from.place}, and move to a fresh database.`,
    )
  listener.compared(table.name, here.rows, here.text)
}

async function digestOf(end: End, table: TableShape): Promise<Digest> {
  const digest = new Digest()
  for (let after: Value[] | null = null; ; ) {
    const rows = await readAfter(end, table, after)
    if (rows.length === 0) return digest
    digest.add(table.name === 'settings' ? rows.filter(({ name }) => isMoved(String(name))) : rows, table.columns)
    after = keyOf(table, rows.at(-1)!)
  }
}

const readAfter = ({ store }: End, table: TableShape, after: Value[] | null): Promise<Row[]> =>
  store.moving.readRows({ table, after })

const keyOf = ({ key }: TableShape, row: Row): Value[] => key.map(column => row[column] ?? null)

/** The marks of a move belong to one database, and the target has its own key check from the start. */
const isMoved = (setting: string): boolean => !['moving', 'moved_to', 'key_check'].includes(setting)

/** The key of a row as text, for the stored progress. */
const keyText = (values: Value[]): string =>
  JSON.stringify(
    values.map(value => (value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('hex') } : value)),
  )

const keyValues = (text: string): Value[] =>
  (JSON.parse(text) as Array<string | number | { bytes: string }>).map(value =>
    typeof value === 'object' ? Buffer.from(value.bytes, 'hex') : value,
  )

/** A digest of all rows of a table that does not depend on their order. */
class Digest {
  rows = 0
  #sum = 0n

  add(rows: Array<Record<string, Value>>, columns: readonly string[]): void {
    this.rows += rows.length
    for (const row of rows) this.#sum += rowDigest(columns.map(column => row[column] ?? null))
  }

  get text(): string {
    return BigInt.asUintN(128, this.#sum).toString(16).padStart(32, '0')
  }
}

function rowDigest(values: Value[]): bigint {
  const text = JSON.stringify(values.map(value => (value instanceof Uint8Array ? [toBase64(value)] : value)))
  const hash = createHash('sha256').update(text).digest()
  return (hash.readBigUInt64BE(0) << 64n) + hash.readBigUInt64BE(8)
}

const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

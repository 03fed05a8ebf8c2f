import type { Store } from '../../store/store.ts'
import type { Row, Value } from '../../store/transaction.ts'
import type { MoveProgress } from '../../store/moving/marks.ts'
import type { TableShape } from '../../store/moving/tables.ts'
import { ConfigError } from '../../boot/config-error.ts'
import { Digest } from './digest.ts'
import { keyText, keyValues } from './key-text.ts'

/** One end of a move. */
export interface End {
  store: Pick<Store, 'leases' | 'moving' | 'nodes' | 'now' | 'usage'>
  /** In words for people, without a password. */
  place: string
}

/** Hears of each table, as it is copied and when it was compared. */
export interface MoveProgressListener {
  copied(table: string, rows: number, isWhole: boolean): void
  compared(table: string, rows: number, digest: string): void
}

/** A node that was seen so lately may still write. */
const LIVES_FOR_MS = 30_000

/**
 * Copies everything, compares both ends row by row, and only then hands the data over: the end that it came from
 * refuses to start from then on. Where it is cut off, the next call goes on from the last rows that were committed.
 */
export async function moveData(from: End, to: End, listener: MoveProgressListener): Promise<void> {
  await refuseLiving(from)
  await refuseLiving(to)
  await from.store.usage.foldUsage()
  const progress = await begin(from, to)
  const tables = await from.store.moving.listTables()
  await refuseOthers(tables, to)
  for (const table of tables) await copy(from, to, table, { progress, listener })
  for (const table of tables) await compare(from, to, table, listener)
  await from.store.moving.markMoved(to.place)
  await to.store.leases.freeAllLeases()
  await to.store.moving.endMove()
}

async function refuseLiving({ store, place }: End): Promise<void> {
  const nowMs = await store.now()
  const living = (await store.nodes.listNodes()).filter(({ seenAt }) => seenAt > nowMs - LIVES_FOR_MS)
  if (living.length === 0) return
  throw new ConfigError(
    `${place}: ${living.length} of its processes ${living.length === 1 ? 'lives' : 'live'} or ended less than 30 s ago. Stop the gateway first, and wait that long.`,
  )
}

/** What is there of this move already, or the beginning of it. */
async function begin(from: End, to: End): Promise<MoveProgress> {
  const [source, target] = [await from.store.moving.readMarks(), await to.store.moving.readMarks()]
  const { identity } = source
  if (identity === undefined || source.progress !== undefined)
    throw new ConfigError(`${from.place} is itself in the middle of a move: finish that one first.`)
  if (target.progress !== undefined) {
    if (target.progress.from === identity) return target.progress
    throw new ConfigError(`${to.place} holds a part of another move. Give this one an empty database.`)
  }
  if (source.movedTo !== undefined)
    throw new ConfigError(`${from.place} was moved to ${source.movedTo} already. Start the gateway there.`)
  if (!target.isEmpty) throw new ConfigError(`${to.place} holds data already. Give the move an empty database.`)
  await to.store.moving.beginMove(identity)
  return { from: identity, tables: {} }
}

/** Both are at the same version of the schema, so this is a guard against a hand that meddled. */
async function refuseOthers(tables: TableShape[], to: End): Promise<void> {
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

/** The marks of a move are of one end alone, and what tells the data is there from the beginning. */
const isMoved = (setting: string): boolean => !['moving', 'moved_to', 'key_check'].includes(setting)

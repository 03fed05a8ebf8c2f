import type { Reader, Row, Tx, Value } from '../transaction.ts'
import { countWithin } from '../count-within.ts'
import { changeMove, type MoveProgress } from './marks.ts'

/** A table as both engines have it. */
export interface TableShape {
  name: string
  columns: string[]
  /** The columns of the primary key, in order. */
  key: string[]
  /** The columns that hold bytes. */
  bytes: string[]
}

/** Tables of running processes, and those that are empty after `foldUsage`. */
const LEFT_BEHIND = new Set(['holders', 'nodes', 'schema_migrations', 'simulator_address', 'usage_deltas'])

/** Other tables reference these. */
const FIRST = ['accounts', 'users']

// Generated columns are computed again.
const OF_SQLITE = `select m.name as "table", c.name as "column", c.type, c.pk as "keyAt"
  from sqlite_master m join pragma_table_info(m.name) c
  where m.type = 'table' and m.name not like 'sqlite_%' order by m.name, c.cid`

// The views of `information_schema` check every privilege of every column: they take a hundred times as long.
const OF_POSTGRES = `select c.relname as "table", a.attname as "column", format_type(a.atttypid, null) as type,
    coalesce(array_position(k.conkey, a.attnum), 0) as "keyAt"
  from pg_catalog.pg_class c
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  left join pg_catalog.pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
  order by c.relname, a.attnum`

interface ColumnRow {
  table: string
  column: string
  type: string
  keyAt: number
}

/** The tables with a gateway's data, in an order in which they can be filled. */
export async function listTables(reader: Reader): Promise<TableShape[]> {
  const columns = await reader.all<ColumnRow>(reader.dialect === 'sqlite' ? OF_SQLITE : OF_POSTGRES)
  const names = [...new Set(columns.map(({ table }) => table))].filter(name => !LEFT_BEHIND.has(name))
  const tables = names.map(name =>
    shapeOf(
      name,
      columns.filter(({ table }) => table === name),
    ),
  )
  const first = FIRST.flatMap(name => tables.filter(table => table.name === name))
  return [...first, ...tables.filter(table => !first.includes(table))]
}

function shapeOf(name: string, rows: ColumnRow[]): TableShape {
  const inKey = rows.filter(({ keyAt }) => keyAt > 0).sort((a, b) => a.keyAt - b.keyAt)
  return {
    name,
    columns: rows.map(({ column }) => column).sort(),
    key: inKey.map(({ column }) => column),
    bytes: rows.filter(({ type }) => type.toLowerCase() === 'bytea').map(({ column }) => column),
  }
}

const BATCH = 500
const MAX_BYTES = 8 * 1024 * 1024

/** The next rows of a table, in the order of its key; fewer if they are large. */
export async function readRows(reader: Reader, input: { table: TableShape; after: Value[] | null }): Promise<Row[]> {
  const { name, columns, key, bytes } = input.table
  const beyond = input.after === null ? '' : `where (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`
  const read = <R>(what: string, limit: number) =>
    reader.all<R>(
      `select ${what} from ${name} ${beyond} order by ${key.join(', ')} limit ?`,
      ...(input.after ?? []),
      limit,
    )
  if (bytes.length === 0) return await read<Row>(columns.join(', '), BATCH)
  const size = bytes.map(column => `coalesce(length(${column}), 0)`).join(' + ')
  const sizes = await read<{ bytes: number }>(`${size} as bytes`, BATCH)
  const count = countWithin(
    sizes.map(each => each.bytes),
    MAX_BYTES,
  )
  return count === 0 ? [] : await read<Row>(columns.join(', '), count)
}

/** Adds rows to a table and records the progress of the move in the same transaction. */
export async function writeRows(tx: Tx, input: { table: string; rows: Row[]; progress: MoveProgress }): Promise<void> {
  // A process that opened the target after an interruption has created its own settings.
  const tail = input.table === 'settings' ? 'on conflict (name) do update set value = excluded.value' : ''
  await tx.insert(input.table, input.rows, tail)
  await changeMove(tx, input.progress)
}

import type pg from 'pg'
import type { ColumnType, Fragment, Row, Value } from '../transaction.ts'
import { arrayOf } from './parameters.ts'

/** The clock in Unix milliseconds at the start of the statement: a stable value can be used with an index. */
export const NOW_SQL = '(extract(epoch from statement_timestamp()) * 1000)::bigint'

interface Prepared {
  name?: string
  text: string
}

const prepared = new Map<string, Prepared>()

/**
 * Turns `?` into `$1, $2 …` and names the statement, so that each connection plans it once. Statements that find given
 * ids in a queue have no name and are planned each time: a plan for an empty queue is bad for a full one.
 */
export function toDollars(sql: string): Prepared {
  let found = prepared.get(sql)
  if (found === undefined) {
    let n = 0
    const text = sql.replace(/\?/g, () => `$${++n}`)
    found = BY_IDS.test(sql) ? { text } : { name: `p${prepared.size}`, text }
    prepared.set(sql, found)
  }
  return found
}

type Columns = Record<string, ColumnType>
type Values = Array<Record<string, string | number | null>>

export const postgresValues = (columns: Columns, rows: Values): Fragment =>
  unnest(columns, rows, type => `?::${type}[]`)

/** An array that is selected is unknown to the planner: for a long one it would read whole tables to join them. */
export const postgresKeys = (columns: Columns, rows: Values): Fragment =>
  unnest(columns, rows, type => `(select ?::${type}[])`)

function unnest(columns: Columns, rows: Values, arrayOfType: (type: ColumnType) => string): Fragment {
  const names = Object.keys(columns)
  const typed = names.map(name => arrayOfType(columns[name]!)).join(', ')
  return {
    sql: `(select * from unnest(${typed}) as u(${names.join(', ')}))`,
    params: names.map(name => arrayOf(rows.map(row => row[name] ?? null))),
  }
}

export const postgresIds = (ids: readonly string[]): Fragment =>
  postgresValues(
    { id: 'text' },
    ids.map(id => ({ id })),
  )

const AMONG = '= any(?::text[])'
const BY_IDS = /= any\((\?|array\[)/

export const postgresAmong = (column: string, ids: readonly string[]): Fragment => ({
  sql: ` and ${column} ${AMONG}`,
  params: [ids] as unknown as Fragment['params'],
})

/** The type of every column, read once: arrays of rows are cast to it. */
export class ColumnTypes {
  readonly #types = new Map<string, string>()

  async load(client: pg.PoolClient): Promise<void> {
    const { rows } = await client.query(
      'select table_name, column_name, data_type from information_schema.columns where table_schema = current_schema()',
    )
    for (const row of rows) this.#types.set(`${row.table_name}.${row.column_name}`, row.data_type)
  }

  of(table: string, column: string): string {
    return this.#types.get(`${table}.${column}`) ?? (table === 'schema_migrations' ? migrationType(column) : 'text')
  }
}

/** This table is written before the types can be read. */
function migrationType(column: string): string {
  return column === 'name' || column === 'checksum' ? 'text' : 'bigint'
}

/** An insert of rows into a table. `derived`: further columns, as expressions of the others. */
interface Insert {
  table: string
  derived?: Readonly<Record<string, string>> | undefined
  tail: string
}

/** `rows`: a table of the columns that are given. */
function insertFrom({ table, derived = {}, tail }: Insert, names: string[], rows: string): string {
  const all = [...names, ...Object.keys(derived)].join(', ')
  const values = ['given.*', ...Object.values(derived)].join(', ')
  return `insert into ${table} (${all}) select ${values} from ${rows} as given(${names.join(', ')}) ${tail}`
}

/** Rows as one array per column: one statement for any number of rows. */
export function insertMany(columns: ColumnTypes, insert: Insert, rows: Row[]): Fragment {
  const names = Object.keys(rows[0]!)
  const typed = names.map(name => `?::${columns.of(insert.table, name)}[]`).join(', ')
  return {
    sql: insertFrom(insert, names, `unnest(${typed})`),
    params: names.map(name => rows.map(row => row[name])) as unknown as Value[],
  }
}

/** One row: bytes are sent in binary, while an array of them would be sent as text. */
export function insertOne(columns: ColumnTypes, insert: Insert, row: Row): Fragment {
  const names = Object.keys(row)
  const typed = names.map(name => `?::${columns.of(insert.table, name)}`).join(', ')
  return {
    sql: insertFrom(insert, names, `(values (${typed}))`),
    params: Object.values(row),
  }
}

const LARGE_BYTES = 65_536

export const isLarge = (row: Row): boolean =>
  Object.values(row).some(value => value instanceof Uint8Array && value.length > LARGE_BYTES)

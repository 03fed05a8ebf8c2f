import { createRequire } from 'node:module'
import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite'
import type { ColumnType, Fragment, ListInsert, Row, Value } from '../transaction.ts'

export type { Database }

interface SqliteModule {
  DatabaseSync: new (path: string, options?: { readOnly?: boolean; timeout?: number }) => Database
}

/** Node's own SQLite if it has one, otherwise the package with the same interface. */
function loadSqlite(): SqliteModule {
  const builtin = process.getBuiltinModule?.('node:sqlite') as SqliteModule | undefined
  return builtin ?? (createRequire(import.meta.url)('@photostructure/sqlite') as SqliteModule)
}

/** Of pages, for one connection. What it does not hold is read from the system's cache, which costs a few microseconds. */
const [READER_CACHE_KIB, WRITER_CACHE_KIB] = [1_024, 2_048]

/** `timeoutMs`: how long to wait for a lock of another connection. */
export function openDatabase(path: string, options: { readOnly: boolean; timeoutMs?: number }): Database {
  const { DatabaseSync } = loadSqlite()
  const database = new DatabaseSync(path, { readOnly: options.readOnly, timeout: options.timeoutMs ?? 10_000 })
  const cacheKib = options.readOnly ? READER_CACHE_KIB : WRITER_CACHE_KIB
  database.exec(`pragma cache_size = -${cacheKib}; pragma temp_store = memory; pragma foreign_keys = on`)
  return database
}

/** The clock of this machine in Unix milliseconds. */
export const NOW_SQL = "cast(unixepoch('subsec') * 1000 as integer)"

type Statement = ReturnType<Database['prepare']>

/** Runs SQL on one connection; statements are prepared once. */
export class Connection {
  readonly database: Database
  readonly #statements = new Map<string, Statement>()
  readonly #inserts = new Map<ListInsert, Statement>()

  constructor(database: Database) {
    this.database = database
  }

  all<R>(sql: string, params: Value[]): R[] {
    return this.#prepare(sql).all(...params) as R[]
  }

  get<R>(sql: string, params: Value[]): R | undefined {
    return this.#prepare(sql).get(...params) as R | undefined
  }

  run(sql: string, params: Value[]): number {
    return Number(this.#prepare(sql).run(...params).changes)
  }

  insert<R>(table: string, rows: Row[], tail: string): R[] {
    const returned: R[] = []
    if (rows.length === 0) return returned
    const columns = Object.keys(rows[0]!)
    const sql = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')}) ${tail}`
    const statement = this.#prepare(sql)
    const returnsRows = tail.includes('returning')
    for (const row of rows) {
      const values = columns.map(column => row[column] as Value)
      // Not `all`, whose errors do not name constraint violations.
      const inserted = returnsRows ? (statement.get(...values) as R | undefined) : void statement.run(...values)
      if (inserted !== undefined) returned.push(inserted)
    }
    return returned
  }

  /** `returning` would cost about as much as the insert, and `run`, which makes an object of the changes, a tenth of it. */
  insertLists(insert: ListInsert, rows: Value[][]): boolean[] {
    let statement = this.#inserts.get(insert)
    if (statement === undefined) this.#inserts.set(insert, (statement = this.#prepare(listInsertSql(insert))))
    if (insert.unless !== undefined) return rows.map(row => statement.run(...row).changes > 0)
    for (const row of rows) statement.get(...row)
    return rows.map(() => true)
  }

  exec(sql: string): void {
    this.database.exec(sql)
  }

  close(): void {
    this.#statements.clear()
    this.#inserts.clear()
    this.database.close()
  }

  #prepare(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.database.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}

function listInsertSql({ table, columns, derived = {}, unless }: ListInsert): string {
  const names = [...columns, ...Object.keys(derived)]
  const given = (expression: string): string =>
    expression.replace(/\bgiven\.(\w+)/g, (_, name: string) => `?${columns.indexOf(name) + 1}`)
  const values = [...columns.map((_, i) => `?${i + 1}`), ...Object.values(derived).map(given)]
  const tail = unless === undefined ? '' : ` on conflict (${unless.on}) do nothing`
  return `insert into ${table} (${names.join(', ')}) values (${values.join(', ')})${tail}`
}

/** Rows are passed as one JSON parameter and read as a table. */
export function sqliteValues(
  columns: Record<string, ColumnType>,
  rows: Array<Record<string, string | number | null>>,
): Fragment {
  const names = Object.keys(columns)
  const picked = names.map((name, i) => `value ->> ${i} as ${name}`).join(', ')
  return {
    sql: `(select ${picked} from json_each(?))`,
    params: [JSON.stringify(rows.map(row => names.map(name => row[name])))],
  }
}

export const sqliteAmong = (): Fragment => ({ sql: '', params: [] })

export const sqliteIds = (ids: readonly string[]): Fragment =>
  sqliteValues(
    { id: 'text' },
    ids.map(id => ({ id })),
  )

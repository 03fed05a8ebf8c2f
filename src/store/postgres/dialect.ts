import type pg from 'pg'
import type { ColumnType, Fragment } from '../tx.ts'

interface Prepared {
  name: string
  text: string
}

const prepared = new Map<string, Prepared>()

/** Turns `?` into `$1, $2 …` and names the statement, so that each connection plans it once. */
export function toDollars(sql: string): Prepared {
  let found = prepared.get(sql)
  if (found === undefined) {
    let n = 0
    found = { name: `p${prepared.size}`, text: sql.replace(/\?/g, () => `$${++n}`) }
    prepared.set(sql, found)
  }
  return found
}

export function postgresValues(
  columns: Record<string, ColumnType>,
  rows: Array<Record<string, string | number | null>>,
): Fragment {
  const names = Object.keys(columns)
  const typed = names.map(name => `?::${columns[name]}[]`).join(', ')
  return {
    sql: `(select * from unnest(${typed}) as u(${names.join(', ')}))`,
    params: names.map(name => rows.map(row => row[name])) as unknown as Fragment['params'],
  }
}

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

/** The one table that is written before the types can be read. */
function migrationType(column: string): string {
  return column === 'version' || column === 'applied_at' ? 'bigint' : 'text'
}

import { type Place, queryPlace } from './stores.ts'

interface Column {
  table: string
  name: string
  type: string
  isRequired: boolean
  fallback: string | null
  /** Computed by the database from other columns. */
  isGenerated: boolean
}

interface Key {
  table: string
  kind: 'primary key' | 'unique'
  columns: string
}

interface Reference {
  table: string
  column: string
  to: string
}

interface Index {
  table: string
  name: string
  columns: string
  condition: string | null
}

/** A database's description of itself; each engine words it differently. */
interface Catalog {
  columns: Column[]
  keys: Key[]
  references: Reference[]
  indexes: Index[]
}

/** The schema of a database as SQL that is the same for both engines, for reading and comparing. */
export async function schemaOf(place: Place): Promise<string> {
  const catalog = await (place.kind === 'sqlite' ? readSqlite(place) : readPostgres(place))
  const tables = [...new Set(catalog.columns.map(column => column.table))].sort()
  return `${tables.map(table => describeTable(catalog, table)).join('\n\n')}\n`
}

function describeTable({ columns, keys, references, indexes }: Catalog, table: string): string {
  const of = <T extends { table: string }>(rows: T[]): T[] => rows.filter(row => row.table === table)
  const single = new Map(of(keys).map(key => [key.columns, key.kind]))
  const lines = of(columns).map(({ name, type, isRequired, fallback, isGenerated }) => {
    const reference = of(references).find(({ column }) => column === name)
    const kind = single.get(name)
    const words = [
      name,
      type,
      kind === 'primary key' || !isRequired ? undefined : 'not null',
      fallback === null ? undefined : `default ${fallback.replace(/::text$/, '')}`,
      isGenerated ? 'generated' : undefined,
      kind,
      reference && `references ${reference.to}`,
    ]
    return words.filter(word => word !== undefined).join(' ')
  })
  const several = of(keys).filter(({ columns }) => columns.includes(','))
  lines.push(...several.map(key => `${key.kind} (${key.columns})`).sort())
  const made = `create table ${table} (\n${lines.map(line => `  ${line}`).join(',\n')}\n);`
  return [made, ...of(indexes).map(describeIndex).sort()].join('\n')
}

const describeIndex = ({ table, name, columns, condition }: Index): string =>
  `create index ${name} on ${table} (${columns})${condition === null ? '' : ` where ${normalise(condition)}`};`

/** PostgreSQL rewrites conditions in its own form. */
const normalise = (condition: string): string =>
  condition
    .replace(/::\w+/g, '')
    .replace(/= ANY \(ARRAY\[(.*?)\]\)/g, 'in [$1]')
    .replace(/\bin \((.*?)\)/g, 'in [$1]')
    .replace(/[()]/g, '')
    .replace(/\[(.*?)\]/g, '($1)')
    .replace(/\b(IS|NOT|NULL|AND)\b/g, word => word.toLowerCase())

const OF_TABLE = "from sqlite_master m join {pragma} p where m.type = 'table' and m.name not like 'sqlite_%'"
const fromPragma = (pragma: string): string => OF_TABLE.replace('{pragma}', pragma)

async function readSqlite(place: Place): Promise<Catalog> {
  const columns = await queryPlace<
    Omit<Column, 'isRequired' | 'isGenerated'> & { isRequired: number; isGenerated: number }
  >(
    place,
    `select m.name as "table", p.name, lower(replace(p.type, ' GENERATED ALWAYS', '')) as type,
       p."notnull" as "isRequired", p.dflt_value as fallback, p.hidden > 1 as "isGenerated"
     ${fromPragma('pragma_table_xinfo(m.name)')} order by m.name, p.cid`,
  )
  const keyed = await queryPlace<{ table: string; origin: string; columns: string }>(
    place,
    `select m.name as "table", p.origin, (select group_concat(i.name, ', ') from pragma_index_info(p.name) i) as columns
     ${fromPragma('pragma_index_list(m.name)')} and p.origin <> 'c'`,
  )
  const numbered = await queryPlace<{ table: string; columns: string }>(
    place,
    `select m.name as "table", p.name as columns ${fromPragma('pragma_table_info(m.name)')} and p.pk = 1
       and not exists (select 1 from pragma_index_list(m.name) x where x.origin = 'pk')`,
  )
  const references = await queryPlace<Reference>(
    place,
    `select m.name as "table", p."from" as "column", p."table" || '(' || p."to" || ')' as "to"
     ${fromPragma('pragma_foreign_key_list(m.name)')}`,
  )
  const indexes = await queryPlace<Index & { sql: string }>(
    place,
    `select x.tbl_name as "table", x.name, x.sql,
       (select group_concat(i.name, ', ') from pragma_index_info(x.name) i) as columns
     from sqlite_master x where x.type = 'index' and x.sql is not null`,
  )
  return {
    columns: columns.map(column => ({
      ...column,
      isRequired: column.isRequired === 1,
      isGenerated: column.isGenerated === 1,
    })),
    keys: [
      ...keyed.map(({ origin, ...key }) => ({ ...key, kind: origin === 'pk' ? 'primary key' : 'unique' }) as Key),
      ...numbered.map(key => ({ ...key, kind: 'primary key' }) as Key),
    ],
    references,
    indexes: indexes.map(({ sql, ...index }) => ({ ...index, condition: / where (.*)$/s.exec(sql)?.[1] ?? null })),
  }
}

const listedColumns = (numbers: string, table: string): string =>
  `(select string_agg(a.attname, ', ' order by k.n) from unnest(${numbers}) with ordinality k(attnum, n)
     join pg_attribute a on a.attrelid = ${table} and a.attnum = k.attnum)`

async function readPostgres(place: Place): Promise<Catalog> {
  const columns = await queryPlace<Column>(
    place,
    `select table_name as "table", column_name as name, data_type as type, is_nullable = 'NO' as "isRequired",
       column_default as fallback, is_generated = 'ALWAYS' as "isGenerated" from information_schema.columns where table_schema = 'public'
     order by table_name, ordinal_position`,
  )
  const constraints = (type: string): string =>
    `from pg_constraint c join pg_class t on t.oid = c.conrelid
     where c.connamespace = 'public'::regnamespace and c.contype in (${type})`
  const keys = await queryPlace<Key>(
    place,
    `select t.relname as "table", case c.contype when 'p' then 'primary key' else 'unique' end as kind,
       ${listedColumns('c.conkey', 't.oid')} as columns ${constraints("'p', 'u'")}`,
  )
  const references = await queryPlace<Reference>(
    place,
    `select t.relname as "table", ${listedColumns('c.conkey', 't.oid')} as "column",
       c.confrelid::regclass || '(' || ${listedColumns('c.confkey', 'c.confrelid')} || ')' as "to" ${constraints("'f'")}`,
  )
  const indexes = await queryPlace<Index>(
    place,
    `select t.relname as "table", i.relname as name, ${listedColumns('x.indkey::int2[]', 't.oid')} as columns,
       pg_get_expr(x.indpred, x.indrelid) as condition
     from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
     where t.relnamespace = 'public'::regnamespace and not x.indisprimary
       and not exists (select 1 from pg_constraint c where c.conindid = x.indexrelid)`,
  )
  return { columns, keys, references, indexes }
}

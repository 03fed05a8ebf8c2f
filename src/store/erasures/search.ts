import { countWithin } from '../count-within.ts'
import type { Fragment, Reader, Row, Value } from '../transaction.ts'
import { type SearchedTable, sealedOf } from './searched-tables.ts'

export interface Search {
  table: SearchedTable
  accountId: string
  /** The numbers of the account. */
  sessionIds: string[]
  /** The number whose rows are read, for a table of numbers. */
  sessionId: string | null
  after: Value[] | null
}

export interface SearchBatch {
  /** The account's rows. */
  rows: Row[]
  /** The key to continue after; `null` at the end. */
  next: Value[] | null
}

/** Rows that are looked at for one batch, and their bytes. */
const BATCH = 500
const MAX_BYTES = 4 * 1024 * 1024

/** The next rows of an account in the order of the key. Each query is bounded, whatever rows it finds. */
export async function searchRows(reader: Reader, search: Search): Promise<SearchBatch> {
  const { table } = search
  const key = table.key.map(column => `t.${column}`).join(', ')
  const sealed = sealedOf(table.table)
  const size = ['0', ...sealed.map(({ column }) => `coalesce(length(t.${column}), 0)`)].join(' + ')
  const next = nextOf(search)
  const skimmed = await reader.all<Row & { bytes: number }>(
    `select ${key}, ${size} as bytes from ${table.table} t where ${next.sql} order by ${next.order} limit ${BATCH}`,
    ...next.params,
  )
  const count = countWithin(
    skimmed.map(({ bytes }) => Number(bytes)),
    MAX_BYTES,
  )
  if (count === 0) return { rows: [], next: null }
  const last = keyOf(table, skimmed[count - 1]!)
  const columns = [
    ...new Set([
      ...columnsOf(table),
      ...table.key,
      ...table.text,
      ...sealed.flatMap(each => [...each.keys, each.column]),
    ]),
  ]
  const scope = scopeOf(reader, search)
  const keys = reader.keys(
    Object.fromEntries(table.key.map(column => [column, typeof last[column] === 'number' ? 'bigint' : 'text'])),
    skimmed.slice(0, count).map(row => keyOf(table, row)),
  )
  const rows = await reader.all<Row>(
    // SQLite keeps the order of a cross join: otherwise it looks for each row of the account among the keys.
    `select ${columns.map(column => `t.${column}`).join(', ')} from ${keys.sql} r cross join ${table.table} t
     where ${table.key.map(column => `t.${column} = r.${column}`).join(' and ')} and ${scope.sql} order by ${key}`,
    ...keys.params,
    ...scope.params,
  )
  return { rows, next: count < BATCH && count === skimmed.length ? null : Object.values(last) }
}

const keyOf = ({ key }: SearchedTable, row: Row) =>
  Object.fromEntries(key.map(column => [column, row[column] as string | number]))

/**
 * The rows beyond a key. Those of an account or a number lie between two keys that begin with it, and are ordered by
 * the whole key: PostgreSQL expects each to have few rows, and would rather sort all of them.
 */
function nextOf({ table: { of, key }, accountId, sessionId, after }: Search): Fragment & { order: string } {
  const owner: Row = of === 'number' ? { session_id: sessionId } : of === 'account' ? { account_id: accountId } : {}
  const [names, ids] = [Object.keys(owner), Object.values(owner)]
  const order = [...names, ...key].map(column => `t.${column}`).join(', ')
  const from = [...ids, ...(after ?? [])]
  const beyond =
    after === null ? names.map(name => `t.${name} >= ?`) : [`(${order}) > (${from.map(() => '?').join(', ')})`]
  const within = names.map(name => `t.${name} <= ?`)
  return { sql: ['1 = 1', ...beyond, ...within].join(' and '), params: [...from, ...ids], order }
}

/** What else an export or an erasure needs of a row. */
function columnsOf({ table, of }: SearchedTable): string[] {
  const ofNumber = of === 'number' || of === 'any_number' ? ['session_id'] : []
  if (table === 'messages') return ['session_id', 'platform_id', 'fingerprint', 'type', 'state', 'created_at']
  if (table === 'commands') return ['session_id', 'kind', 'message_id']
  if (table === 'deliveries') return ['session_id', 'shard', 'event_id', 'created_at']
  if (table === 'media') return ['session_id', 'mime_type', 'bytes', 'created_at']
  return table === 'history' || table === 'dead_letters' ? ['session_id', 'event_id', 'created_at'] : ofNumber
}

/**
 * Which rows belong to the account. In tables that are read whole the column is part of an expression, so that the
 * database does not read all rows of the account or of its numbers.
 */
function scopeOf(reader: Reader, { table, accountId, sessionIds, sessionId }: Search): Fragment {
  switch (table.of) {
    case 'number':
      return { sql: 't.session_id = ?', params: [sessionId] }
    case 'account':
      return { sql: 't.account_id = ?', params: [accountId] }
    case 'any_account':
      return { sql: "(t.account_id || '') = ?", params: [accountId] }
    case 'any_number': {
      const r = reader.ids(sessionIds)
      return { sql: `(t.session_id || '') in (select r.id from ${r.sql} r)`, params: r.params }
    }
    case 'any_message':
      return {
        sql: '(select m.account_id from messages m where m.id = t.message_id) = ?',
        params: [accountId],
      }
    default: {
      const never: never = table.of
      return never
    }
  }
}

/** The ids of an account's numbers, in order. */
export async function listNumberIds(reader: Reader, accountId: string): Promise<string[]> {
  const rows = await reader.all<{ id: string }>('select id from sessions where account_id = ? order by id', accountId)
  return rows.map(({ id }) => id)
}

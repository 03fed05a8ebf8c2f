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
  const { table, after } = search
  const key = table.key.map(column => `t.${column}`).join(', ')
  const marks = table.key.map(() => '?').join(', ')
  const scope = scopeOf(reader, search)
  const isIndexed = table.of === 'number' || table.of === 'account'
  const [within, withinParams] = isIndexed ? [`${scope.sql} and`, scope.params] : ['', []]
  const beyond = after === null ? '1 = 1' : `(${key}) > (${marks})`
  const sealed = sealedOf(table.table)
  const size = ['0', ...sealed.map(({ column }) => `coalesce(length(t.${column}), 0)`)].join(' + ')
  const skimmed = await reader.all<Row & { bytes: number }>(
    `select ${key}, ${size} as bytes from ${table.table} t where ${within} ${beyond} order by ${key} limit ${BATCH}`,
    ...withinParams,
    ...(after ?? []),
  )
  const count = countWithin(
    skimmed.map(({ bytes }) => Number(bytes)),
    MAX_BYTES,
  )
  if (count === 0) return { rows: [], next: null }
  const last = table.key.map(column => skimmed[count - 1]![column] ?? null)
  const columns = [
    ...new Set([
      ...columnsOf(table),
      ...table.key,
      ...table.text,
      ...sealed.flatMap(each => [...each.keys, each.column]),
    ]),
  ]
  const rows = await reader.all<Row>(
    `select ${columns.map(column => `t.${column}`).join(', ')} from ${table.table} t
     where ${scope.sql} and ${beyond} and (${key}) <= (${marks}) order by ${key}`,
    ...scope.params,
    ...(after ?? []),
    ...last,
  )
  return { rows, next: count < BATCH && count === skimmed.length ? null : last }
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
 * Which rows belong to the account. Tables that are read whole are read between two keys: there the column is part of an
 * expression, so that the database does not read all rows of the account or of its numbers instead.
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

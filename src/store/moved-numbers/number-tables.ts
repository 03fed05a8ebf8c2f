import { countWithin } from '../count-within.ts'
import { listTables, type TableShape } from '../moving/tables.ts'
import { PAST } from '../sessions/sessions.ts'
import type { Reader, Row, Value } from '../transaction.ts'

/**
 * The tables whose rows belong to a number alone and go with it: its device, what it received, and what it remembers.
 * Payloads of the sandbox's page stay: they belong to events of this gateway.
 */
export const NUMBER_TABLES: readonly string[] = [
  'device_creds',
  'device_keys',
  ...PAST.filter(table => table !== 'sandbox_payloads'),
]

/** The settings of a number that go with it. */
export const NUMBER_SETTINGS = [
  'phone',
  'device',
  'label',
  'platform',
  'auto_reject',
  'auto_reject_message',
  'pace',
  'paced_until',
  'addressing',
  'appear',
  'paused',
  'proxy',
  'restricted_until',
  'restriction_type',
  'restricted_at',
  'new_chat_cap',
  'ban',
  'chats_since',
  'chats_synced_at',
] as const

/** The shapes of these tables in this database. */
export async function listNumberTables(reader: Reader): Promise<TableShape[]> {
  const all = await listTables(reader)
  return NUMBER_TABLES.map(name => all.find(table => table.name === name)!)
}

export async function readNumberSettings(reader: Reader, sessionId: string): Promise<Row | undefined> {
  return await reader.get<Row>(`select ${NUMBER_SETTINGS.join(', ')} from sessions where id = ?`, sessionId)
}

const BATCH = 500
const MAX_BYTES = 4 * 1024 * 1024

/** The next rows of a number, in the order of their key; fewer if they are large. */
export async function readNumberRows(
  reader: Reader,
  input: { table: TableShape; sessionId: string; after: Value[] | null },
): Promise<Row[]> {
  const { name, columns, key, bytes } = input.table
  const rest = key.filter(column => column !== 'session_id')
  const beyond =
    input.after === null || rest.length === 0 ? '' : `and (${rest.join(', ')}) > (${rest.map(() => '?').join(', ')})`
  const order = rest.length === 0 ? '' : `order by ${rest.join(', ')}`
  const read = <R>(what: string, limit: number) =>
    reader.all<R>(
      `select ${what} from ${name} where session_id = ? ${beyond} ${order} limit ?`,
      input.sessionId,
      ...(input.after !== null && rest.length > 0 ? input.after : []),
      limit,
    )
  const size = bytes.length === 0 ? '0' : bytes.map(column => `coalesce(length(${column}), 0)`).join(' + ')
  const sizes = await read<{ bytes: number }>(`${size} as bytes`, BATCH)
  const count = countWithin(
    sizes.map(each => Number(each.bytes)),
    MAX_BYTES,
  )
  return count === 0 ? [] : await read<Row>(columns.join(', '), count)
}

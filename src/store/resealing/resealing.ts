import { getOwn } from '../../runtime/get-own.ts'
import {
  aboutAutoReject,
  aboutCommand,
  aboutCreds,
  aboutEvent,
  aboutInbox,
  aboutKey,
  aboutListening,
  aboutMessage,
  aboutSeen,
  aboutSent,
  aboutSimulatorEntry,
  aboutUpload,
  aboutWebhook,
} from '../../domain/sealed.ts'
import { countWithin } from '../count-up-to.ts'
import type { Reader, Row, Tx } from '../transaction.ts'

/** A column that holds sealed bytes, the columns that name its row, and what its seal is bound to. */
export interface SealedColumn {
  table: string
  column: string
  keys: string[]
  /** Column names in braces are replaced by the row's values. */
  about: string
}

/** Every sealed column of the database. Short-lived ones (codes of a pairing, sign-in links) end before a rotation does. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'webhooks', column: 'secret', keys: ['id'], about: aboutWebhook('{id}') },
  { table: 'webhooks', column: 'old_secret', keys: ['id'], about: aboutWebhook('{id}') },
  { table: 'sessions', column: 'auto_reject_message', keys: ['id'], about: aboutAutoReject('{id}') },
  { table: 'message_contents', column: 'sealed', keys: ['message_id'], about: aboutMessage('{message_id}') },
  { table: 'commands', column: 'sealed', keys: ['id'], about: aboutCommand('{id}') },
  { table: 'commands', column: 'content', keys: ['id'], about: aboutMessage('{id}') },
  { table: 'events', column: 'sealed', keys: ['id'], about: aboutEvent('{id}') },
  { table: 'deliveries', column: 'sealed', keys: ['id', 'event_id'], about: aboutEvent('{event_id}') },
  { table: 'sandbox_payloads', column: 'sealed', keys: ['event_id'], about: aboutEvent('{event_id}') },
  { table: 'listened_events', column: 'sealed', keys: ['event_id'], about: aboutEvent('{event_id}') },
  { table: 'streams', column: 'secret', keys: ['account_id'], about: aboutListening('{account_id}') },
  { table: 'device_creds', column: 'sealed', keys: ['session_id'], about: aboutCreds('{session_id}') },
  {
    table: 'device_keys',
    column: 'sealed',
    keys: ['session_id', 'category', 'id'],
    about: aboutKey('{session_id}', '{category}', '{id}'),
  },
  { table: 'inbox', column: 'sealed', keys: ['session_id', 'key'], about: aboutInbox('{session_id}', '{key}') },
  {
    table: 'sent_messages',
    column: 'sealed',
    keys: ['session_id', 'platform_id'],
    about: aboutSent('{session_id}', '{platform_id}'),
  },
  {
    table: 'seen_messages',
    column: 'secret',
    keys: ['session_id', 'message_id', 'chat_jid'],
    about: aboutSeen('{session_id}', '{chat_jid}', '{message_id}'),
  },
  { table: 'simulator_entries', column: 'sealed', keys: ['key'], about: aboutSimulatorEntry('{key}') },
  { table: 'upload_parts', column: 'sealed', keys: ['upload_id', 'part'], about: aboutUpload('{upload_id}', '{part}') },
]

export type SealedRow = { sealed: Uint8Array } & Record<string, Uint8Array | string>

/** What is read at once; a row that is larger is read alone. */
const MAX_BYTES = 8 * 1024 * 1024
/** So many rows are looked at for one slice, however few of them are to be sealed again. */
const LOOKED_AT = 250

/** Some rows, and the keys to go on behind; `null` at the end. */
export interface SealedSlice {
  rows: SealedRow[]
  next: string[] | null
}

/**
 * Rows, in the order of their keys, whose seal was made under one of these keys: bytes two to five of it say which. As
 * many as `limit`, or as fit into memory well: some are a few bytes long, some are files.
 */
export async function readSealedUnder(
  reader: Reader,
  input: { column: SealedColumn; keyIds: Uint8Array[]; after: string[] | null; limit: number },
): Promise<SealedSlice> {
  const { table, column, keys } = input.column
  const names = keys.join(', ')
  const after = input.after ?? keys.map(() => '')
  // The columns themselves may be files: what is looked at for many rows is their beginning and their length.
  const looked = await reader.all<Record<string, string> & { mark: Uint8Array | null; bytes: number }>(
    `select ${names}, substr(${column}, 2, 4) as mark, length(${column}) as bytes from ${table}
     where (${names}) > (${keys.map(() => '?').join(', ')}) order by ${names} limit ${LOOKED_AT}`,
    ...after,
  )
  const isOld = ({ mark }: { mark: Uint8Array | null }): boolean =>
    mark instanceof Uint8Array && input.keyIds.some(id => Buffer.compare(id, mark) === 0)
  const all = looked.filter(isOld)
  const old = all.slice(0, input.limit)
  const count = countWithin(
    old.map(({ bytes }) => bytes),
    MAX_BYTES,
  )
  const rows: SealedRow[] = []
  for (const row of old.slice(0, count)) rows.push(...(await readSealed(reader, input.column, row)))
  const isCut = count < all.length
  const last = isCut ? old[count - 1] : looked.length < LOOKED_AT ? undefined : looked.at(-1)
  return { rows, next: last === undefined ? null : keys.map(key => getOwn(last, key) as string) }
}

/** None where it has gone meanwhile. */
async function readSealed(
  reader: Reader,
  { table, column, keys }: SealedColumn,
  named: Record<string, unknown>,
): Promise<SealedRow[]> {
  return await reader.all<SealedRow>(
    `select ${keys.join(', ')}, ${column} as sealed from ${table}
     where ${keys.map(key => `${key} = ?`).join(' and ')} and ${column} is not null`,
    ...keys.map(key => getOwn(named, key) as string),
  )
}

/** Puts newly sealed bytes in place, each only where nobody has changed the row meanwhile. */
export async function replaceSealed(
  tx: Tx,
  input: { column: SealedColumn; rows: Array<{ row: SealedRow; sealed: Uint8Array }> },
): Promise<void> {
  const { table, column, keys } = input.column
  const where = keys.map(key => `${key} = ?`).join(' and ')
  for (const { row, sealed } of input.rows) {
    const named = keys.map(key => getOwn(row, key) as Row[string])
    await tx.run(`update ${table} set ${column} = ? where ${where} and ${column} = ?`, sealed, ...named, row.sealed)
  }
}

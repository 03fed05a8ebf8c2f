import { getOwn } from '../../runtime/get-own.ts'
import {
  aboutAutoReject,
  aboutCommand,
  aboutCreds,
  aboutEndpoint,
  aboutErasure,
  aboutErasurePosition,
  aboutEvent,
  aboutExtras,
  aboutHeaders,
  aboutInbox,
  aboutKey,
  aboutListening,
  aboutMedia,
  aboutMessage,
  aboutLabel,
  aboutProxy,
  aboutSeen,
  aboutSent,
  aboutSimulatorEntry,
  aboutUpload,
  aboutWebhook,
} from '../../domain/sealed.ts'
import { countWithin } from '../count-within.ts'
import type { Reader, Row, Tx } from '../transaction.ts'

/** A sealed column, the key columns of its row, and the name that its seal is bound to. */
export interface SealedColumn {
  table: string
  column: string
  keys: string[]
  /** Column names in braces are replaced by the row's values. */
  about: string
}

/**
 * Every sealed column of the database. Short-lived ones (codes of a pairing, sign-in links) expire before a rotation
 * ends.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'webhooks', column: 'secret', keys: ['id'], about: aboutWebhook('{id}') },
  { table: 'webhooks', column: 'old_secret', keys: ['id'], about: aboutWebhook('{id}') },
  { table: 'endpoints', column: 'secret', keys: ['id'], about: aboutEndpoint('{id}') },
  { table: 'endpoints', column: 'old_secret', keys: ['id'], about: aboutEndpoint('{id}') },
  { table: 'endpoints', column: 'headers', keys: ['id'], about: aboutHeaders('{id}') },
  { table: 'sessions', column: 'auto_reject_message', keys: ['id'], about: aboutAutoReject('{id}') },
  { table: 'sessions', column: 'proxy', keys: ['id'], about: aboutProxy('{id}') },
  { table: 'message_contents', column: 'sealed', keys: ['message_id'], about: aboutMessage('{message_id}') },
  { table: 'commands', column: 'sealed', keys: ['id'], about: aboutCommand('{id}') },
  { table: 'commands', column: 'content', keys: ['id'], about: aboutMessage('{id}') },
  { table: 'events', column: 'sealed', keys: ['id'], about: aboutEvent('{id}') },
  { table: 'deliveries', column: 'sealed', keys: ['id', 'event_id'], about: aboutEvent('{event_id}') },
  { table: 'events', column: 'extras', keys: ['id'], about: aboutExtras('{id}') },
  { table: 'deliveries', column: 'extras', keys: ['id', 'event_id'], about: aboutExtras('{event_id}') },
  { table: 'sandbox_payloads', column: 'sealed', keys: ['event_id'], about: aboutEvent('{event_id}') },
  { table: 'listened_events', column: 'sealed', keys: ['stream_id', 'event_id'], about: aboutEvent('{event_id}') },
  { table: 'listened_events', column: 'extras', keys: ['stream_id', 'event_id'], about: aboutExtras('{event_id}') },
  { table: 'streams', column: 'secret', keys: ['id'], about: aboutListening('{id}') },
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
  { table: 'labels', column: 'sealed', keys: ['session_id', 'id'], about: aboutLabel('{session_id}', '{id}') },
  { table: 'simulator_entries', column: 'sealed', keys: ['key'], about: aboutSimulatorEntry('{key}') },
  { table: 'erasures', column: 'names', keys: ['id'], about: aboutErasure('{id}') },
  { table: 'erasures', column: 'position', keys: ['id'], about: aboutErasurePosition('{id}') },
  { table: 'media', column: 'sealed', keys: ['id'], about: aboutMedia('{id}') },
  { table: 'upload_parts', column: 'sealed', keys: ['upload_id', 'part'], about: aboutUpload('{upload_id}', '{part}') },
]

export type SealedRow = { sealed: Uint8Array } & Record<string, Uint8Array | string>

/** Bytes that one query reads; a larger row is read alone. */
const MAX_BYTES = 8 * 1024 * 1024
/** Rows that are examined for one batch, however few of them have to be sealed again. */
const EXAMINED = 250

/** A batch of rows, and the key to continue after; `null` at the end. */
export interface SealedBatch {
  rows: SealedRow[]
  next: string[] | null
}

/**
 * Rows in the order of their keys whose seal was made under one of these keys, which bytes two to five name. At most
 * `limit` rows, and fewer if they are large.
 */
export async function readSealedUnder(
  reader: Reader,
  input: { column: SealedColumn; keyIds: Uint8Array[]; after: string[] | null; limit: number },
): Promise<SealedBatch> {
  const { table, column, keys } = input.column
  const names = keys.join(', ')
  const after = input.after ?? keys.map(() => '')
  // The columns may be files, so only their first bytes and their length are read for many rows.
  const examined = await reader.all<Record<string, string> & { mark: Uint8Array | null; bytes: number }>(
    `select ${names}, substr(${column}, 2, 4) as mark, length(${column}) as bytes from ${table}
     where (${names}) > (${keys.map(() => '?').join(', ')}) order by ${names} limit ${EXAMINED}`,
    ...after,
  )
  const isOld = ({ mark }: { mark: Uint8Array | null }): boolean =>
    mark instanceof Uint8Array && input.keyIds.some(id => Buffer.compare(id, mark) === 0)
  const all = examined.filter(isOld)
  const old = all.slice(0, input.limit)
  const count = countWithin(
    old.map(({ bytes }) => bytes),
    MAX_BYTES,
  )
  const rows: SealedRow[] = []
  for (const row of old.slice(0, count)) rows.push(...(await readSealed(reader, input.column, row)))
  const isCut = count < all.length
  const last = isCut ? old[count - 1] : examined.length < EXAMINED ? undefined : examined.at(-1)
  return { rows, next: last === undefined ? null : keys.map(key => getOwn(last, key) as string) }
}

/** `undefined` if the row was deleted meanwhile. */
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

/** Replaces sealed bytes, each only if its row has not changed meanwhile. */
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

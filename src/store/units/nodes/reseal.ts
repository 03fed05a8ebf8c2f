import { lookUp } from '../../../domain/look-up.ts'
import {
  aboutAutoReject,
  aboutCommand,
  aboutCreds,
  aboutEvent,
  aboutInbox,
  aboutKey,
  aboutMessage,
  aboutSeen,
  aboutSent,
  aboutSimulatorEntry,
  aboutWebhook,
} from '../../../domain/sealed.ts'
import type { Reader, Row, Tx } from '../../tx.ts'

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
  { table: 'events', column: 'sealed', keys: ['id'], about: aboutEvent('{id}') },
  { table: 'sandbox_payloads', column: 'sealed', keys: ['event_id'], about: aboutEvent('{event_id}') },
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
]

export type SealedRow = { sealed: Uint8Array } & Record<string, Uint8Array | string>

/** What is read at once; a row that is larger is read alone. */
const MAX_BYTES = 8 * 1024 * 1024

/**
 * Rows, in the order of their keys, whose seal was made under one of these keys: bytes two to five of it say which. As
 * many as `limit`, or as fit into memory well: some are a few bytes long, some are files.
 */
export async function readSealedUnder(
  reader: Reader,
  input: { column: SealedColumn; keyIds: Uint8Array[]; after: string[] | null; limit: number },
): Promise<SealedRow[]> {
  const { table, column, keys } = input.column
  const listed = input.keyIds.map(() => `substr(${column}, 2, 4) = ?`).join(' or ')
  const beyond = input.after === null ? '' : `and (${keys.join(', ')}) > (${keys.map(() => '?').join(', ')})`
  const read = <T extends object>(what: string, limit: number) =>
    reader.all<T>(
      `select ${what} from ${table} where ${column} is not null and (${listed}) ${beyond}
       order by ${keys.join(', ')} limit ?`,
      ...input.keyIds,
      ...(input.after ?? []),
      limit,
    )
  const sizes = await read<{ bytes: number }>(`length(${column}) as bytes`, input.limit)
  const count = countWithin(
    sizes.map(({ bytes }) => bytes),
    MAX_BYTES,
  )
  return count === 0 ? [] : await read<SealedRow>(`${keys.join(', ')}, ${column} as sealed`, count)
}

/** How many of the first sizes make up the limit at most; one at least, where there is one. */
function countWithin(sizes: number[], limit: number): number {
  let sum = 0
  const over = sizes.findIndex(size => (sum += size) > limit)
  return over === -1 ? sizes.length : Math.max(over, 1)
}

/** Puts newly sealed bytes in place, each only where nobody has changed the row meanwhile. */
export async function replaceSealed(
  tx: Tx,
  input: { column: SealedColumn; rows: Array<{ row: SealedRow; sealed: Uint8Array }> },
): Promise<void> {
  const { table, column, keys } = input.column
  const where = keys.map(key => `${key} = ?`).join(' and ')
  for (const { row, sealed } of input.rows) {
    const named = keys.map(key => lookUp(row, key) as Row[string])
    await tx.run(`update ${table} set ${column} = ? where ${where} and ${column} = ?`, sealed, ...named, row.sealed)
  }
}

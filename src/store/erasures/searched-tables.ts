import { SEALED_COLUMNS, type SealedColumn } from '../resealing/resealing.ts'

/** A table that is searched for a person, row by row. */
export interface SearchedTable {
  table: string
  /** What its rows are, in reports. */
  kind: string
  /** The key that orders it; without the session in tables of numbers. */
  key: readonly string[]
  /** How the rows of an account are found. Only the first two have an index for it: the others are read whole. */
  of: 'number' | 'account' | 'any_account' | 'any_number' | 'any_message'
  /** Columns in the clear that may name a person. */
  text: readonly string[]
}

const table = (
  name: string,
  kind: string,
  of: SearchedTable['of'],
  key: readonly string[],
  text: readonly string[] = [],
): SearchedTable => ({ table: name, kind, of, key, text })

const DELIVERED = ['dedupe_id', 'redacted', 'attempts']

/**
 * Every table that may name a person whom an account's numbers write to, in the order in which data moves from one to the
 * next. Requests and their answers are missing: they last for a minute.
 */
export const SEARCHED_TABLES: readonly SearchedTable[] = [
  table('messages', 'messages', 'account', ['id'], ['recipient', 'request_id', 'request_key']),
  table('commands', 'waiting_commands', 'any_number', ['id'], ['queue']),
  table('inbox', 'received_items', 'number', ['key'], ['key', 'chat']),
  table('unfinished_messages', 'received_items', 'number', ['key'], ['key']),
  table('events', 'events', 'any_account', ['id'], ['dedupe_id']),
  table('deliveries', 'deliveries', 'account', ['id'], DELIVERED),
  table('listened_events', 'events', 'any_number', ['stream_id', 'seq'], ['dedupe_id']),
  table('sandbox_payloads', 'events', 'any_number', ['event_id']),
  table('history', 'history', 'account', ['slot'], DELIVERED),
  table('dead_letters', 'dead_letters', 'account', ['id'], DELIVERED),
  table('replaced_letters', 'dead_letters', 'account', ['id'], DELIVERED),
  table('message_contents', 'messages', 'any_message', ['message_id']),
  table('message_states', 'receipts', 'any_message', ['message_id', 'state', 'recipient'], ['recipient']),
  table('sent_messages', 'messages', 'number', ['platform_id']),
  table('seen_messages', 'references', 'number', ['message_id', 'chat_jid'], ['chat_jid', 'sender_jid']),
  table('presence_subscriptions', 'subscriptions', 'number', ['contact_jid'], ['contact_jid']),
  table('first_messages', 'references', 'number', ['chat_jid'], ['chat_jid']),
  table('chats', 'chats', 'number', ['jid'], ['jid']),
  table('chat_labels', 'chats', 'number', ['jid', 'label'], ['jid']),
  table('labels', 'chats', 'number', ['id']),
  table('history_jobs', 'chats', 'any_number', ['id'], ['chat_jid']),
  table('media', 'files', 'any_account', ['id']),
  table('device_keys', 'keys', 'number', ['category', 'id'], ['id']),
  table('api_log', 'log_entries', 'account', ['id'], ['requests']),
]

export const sealedOf = (name: string): SealedColumn[] => SEALED_COLUMNS.filter(each => each.table === name)

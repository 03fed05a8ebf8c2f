import type { RepeatSearch } from './repeats.ts'

/** Any value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

// The fields that history may show. Every other field is content.
const KEPT_PATHS = new Set([
  'kind',
  'type',
  'status',
  'reason',
  'event',
  'receipt_type',
  'timestamp_unix',
  'last_seen_unix',
  'message_id',
  'messenger_message_id',
  'request_id',
  'server_id',
  'call_id',
  'poll_message_id',
  'poll_request_id',
  'quoted_message_id',
  'reacted_message_id',
  'edited_message_id',
  'revoked_message_id',
  'button_response.selected_id',
  'session_id',
  'sender_jid',
  'sender_phone',
  'chat_jid',
  'recipient_jid',
  'to',
  'quoted_participant',
  'voter_jid',
  'from_jid',
  'contact_jid',
  'newsletter_jid',
  'media.id',
  'media.mimetype',
  'media.extension',
  'media.file_length',
  'media.status',
  'poll.selectable_count',
  'mentions[]',
  'seconds',
  'order.id',
  'order.item_count',
  'group_invite.group_jid',
  'group_invite.expires_unix',
  'event_answer.event_message_id',
  'channel_invite.newsletter_jid',
  'channel_invite.expires_unix',
  'event.starts_unix',
  'event.ends_unix',
  'referral.source_type',
  'referral.source_id',
  'referral.entry_point',
  'endpoint_id',
  'group_jid',
  'linked_jid',
  'action',
  'actor_jid',
  'actor_phone',
  'members[].jid',
  'members[].phone',
  'settings.write',
  'settings.edit',
  'settings.add',
  'settings.disappearing_seconds',
  'contact_phone',
  'picture_id',
  'reactions',
  'state',
  'historic',
  'new_jid',
  'lid',
  'phone',
  'source',
  'previous_lid',
  'previous_phone',
  'cause',
  'until_unix',
  'restriction_type',
  'new_chats.limit',
  'new_chats.used',
  'message_ids[]',
  'muted_until_unix',
  'label_id',
  'failing_since_unix',
  'last_status',
  'last_error',
])
// The sender chooses some kept values, such as a MIME type; a long one may carry content.
const MAX_KEPT_BYTES = 256

/** An event's payload as history keeps it: the same structure, with content replaced by `[redacted: <n> bytes]`. */
export function redact(payload: unknown): Json {
  return mapLeaves(shortened(payload as Json), '', redactLeaf)
}

const redactLeaf = (value: Leaf, path: string): Leaf => (isKept(value, path) ? value : marker(value))

// Far more than any list that people make; a page of the history has up to a hundred payloads.
const MAX_ITEMS = 100

/** Cuts long lists: one string stands for the rest. */
function shortened(value: Json): Json {
  if (value === null || typeof value !== 'object' || !isLong(value)) return value
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item)]))
  const first = value.slice(0, MAX_ITEMS).map(shortened)
  return value.length <= MAX_ITEMS ? first : [...first, textOf(value.slice(MAX_ITEMS))]
}

/** Whether the value contains a list that is cut: almost none does, so `shortened` usually copies nothing. */
function isLong(value: Json): boolean {
  if (value === null || typeof value !== 'object') return false
  return Array.isArray(value) ? value.length > MAX_ITEMS || value.some(isLong) : Object.values(value).some(isLong)
}

const textOf = (rest: Json[]): string => JSON.stringify(mapLeaves(rest, '', leaf => leaf))

/** Whether the search finds its text in the content of the payload that is redacted. */
export function contentRepeats(payload: unknown, search: RepeatSearch): boolean {
  let found = false
  mapLeaves(payload as Json, '', (value, path) => {
    if (!found && !isKept(value, path)) found = search(Buffer.from(jsonText(value)))
    return value
  })
  return found
}

type Leaf = null | boolean | number | string

/** Values that JSON leaves out, or writes as null in a list. */
const isCarried = (value: unknown): boolean =>
  value !== undefined && typeof value !== 'function' && typeof value !== 'symbol'

function mapLeaves(value: Json, path: string, onLeaf: (leaf: Leaf, path: string) => Leaf): Json {
  if (!isCarried(value)) return null
  if (typeof value === 'bigint') return onLeaf(String(value), path)
  if (value === null || typeof value !== 'object') return onLeaf(value, path)
  if (Array.isArray(value)) return value.map((item: Json) => mapLeaves(item, `${path}[]`, onLeaf))
  const prefix = path === '' ? '' : `${path}.`
  const object = value as { readonly [key: string]: Json }
  const mapped: Record<string, Json> = {}
  for (const key of Object.keys(object)) {
    const item = object[key]!
    if (!isCarried(item)) continue
    const leaf = mapLeaves(item, prefix + step(key), onLeaf)
    // An assignment to `__proto__` would lose the value.
    if (key === '__proto__') Object.defineProperty(mapped, key, { ...OWN, value: leaf })
    else mapped[key] = leaf
  }
  return mapped
}

const OWN = { enumerable: true, configurable: true, writable: true }

/** A name with a dot in it, or an empty one, must not look like another path. */
const step = (key: string): string => (key === '' ? '..' : key.includes('.') ? key.replaceAll('.', '..') : key)

function isKept(value: Leaf, path: string): boolean {
  if (value === null || typeof value === 'boolean' || value === '') return true
  return KEPT_PATHS.has(path) && Buffer.byteLength(jsonText(value)) <= MAX_KEPT_BYTES
}

function marker(value: Leaf): string {
  return sizeMarker(Buffer.byteLength(jsonText(value)))
}

/** The text in place of content (specification, Delivery history 2). */
export const sizeMarker = (bytes: number): string => `[redacted: ${bytes} bytes]`

function jsonText(value: Leaf): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

import { createHash } from 'node:crypto'
import { type BinaryNode, getBinaryNodeChildren, normalizeMessageContent, type proto, type WAMessage } from 'baileys'
import { jidKind, withoutDevice } from '../../../domain/jid.ts'
import type { InboxItem } from '../../platform.ts'
import { type ReceivedContent, unwrapped } from './received-content.ts'
import { decodeMessage } from './newer-content.ts'
import { type Expiration, expirationIn } from '../remembered/expirations.ts'
import { HISTORY, OWN_MESSAGE, silentReason } from './silent-messages.ts'
import { hasFile } from '../to-event/content.ts'
import { sealedContentOf } from '../to-event/sealed-content.ts'
import { secondsOr } from '../wire/numbers.ts'

/** A received message as it is stored until it becomes an event. */
export interface StoredMessage {
  key: {
    id: string
    remoteJid: string
    remoteJidAlt?: string
    participant?: string
    participantAlt?: string
    fromMe: boolean
    serverId?: string
  }
  timestamp: number
  pushName: string
  /** The stanza's `edit` attribute: an admin's revoke has another value than the author's. */
  edit?: string
  /** Why it is no event; its content is not stored then, except for a history and for what the own phone sent. */
  silent?: string
  /** What it says about disappearing messages in its chat. */
  expiration?: Expiration
  message: proto.IMessage
}

/** Identifies a message permanently, also when it is redelivered or resent by the phone. */
export function messageKey(chat: string, participant: string | null | undefined, id: string): string {
  return storable(`m/${withoutDevice(chat)}/${participant ? withoutDevice(participant) : ''}/${id}`)
}

/** Senders choose ids: an id that a database would reject must not prevent the message from being stored. */
function storable(key: string): string {
  return /^[\x20-\x7e]{1,500}$/.test(key) ? key : `#/${createHash('sha256').update(key).digest('base64url')}`
}

/** The chat whose items are processed in order. */
const chatOf = (jid: string | null | undefined): string => (jid ? storable(withoutDevice(jid)) : '')

export function messageKeyOfStanza({ attrs }: BinaryNode): string {
  const isOwnCopy = attrs.recipient !== undefined && attrs.participant === undefined
  return messageKey((isOwnCopy ? attrs.recipient : attrs.from) ?? '', attrs.participant, attrs.id ?? '')
}

/** The sender of a message that a stanza contains, without device. */
export const senderOfStanza = ({ attrs }: BinaryNode): string => withoutDevice(attrs.participant ?? attrs.from ?? '')

/** The name of the other kind that the platform adds to a stanza. */
function nameBeside(stanza: BinaryNode): string | undefined {
  const kind = jidKind(senderOfStanza(stanza)) === 'lid' ? 'pn' : 'lid'
  return stanza.attrs[`${stanza.attrs.participant === undefined ? 'sender' : 'participant'}_${kind}`]
}

/**
 * The keys that the same message has under the sender's other names. The platform may deliver a message under both
 * kinds of names.
 */
export function otherKeysOfStanza(stanza: BinaryNode, otherName: string | undefined): string[] {
  const { from = '', participant, recipient, id = '' } = stanza.attrs
  if (recipient !== undefined && participant === undefined) return []
  const names = new Set([otherName, nameBeside(stanza)].filter(name => name !== undefined))
  return [...names].map(name =>
    participant === undefined ? messageKey(name, undefined, id) : messageKey(from, name, id),
  )
}

/** An encrypted edit may contain a file, which cannot be known yet. */
const mayHaveFile = (message: proto.IMessage): boolean =>
  hasFile(message) || sealedContentOf(normalizeMessageContent(message) ?? {}) !== undefined

/** The body: a header as JSON behind its length, then the message as the protocol writes it. */
export function messageItem(
  received: WAMessage,
  content: Pick<ReceivedContent, 'bytes' | 'message'> | undefined,
  key: string,
  receivedAtMs: number,
  edit?: string,
): InboxItem {
  const silent = silentReason({ key: received.key, message: content?.message }, content?.bytes)
  const { id, remoteJid, remoteJidAlt, participant, participantAlt, fromMe, server_id: serverId } = received.key
  const header = Buffer.from(
    JSON.stringify({
      key: { id, remoteJid, remoteJidAlt, participant, participantAlt, fromMe: fromMe === true, serverId },
      timestamp: secondsOr(received.messageTimestamp, receivedAtMs),
      pushName: received.pushName ?? received.verifiedBizName ?? '',
      silent,
      edit,
      expiration: expirationIn(content?.message),
    }),
  )
  const length = Buffer.alloc(4)
  length.writeUInt32BE(header.length)
  const isHistory = silent === HISTORY && fromMe === true
  const isShown = silent === undefined || silent === OWN_MESSAGE
  const isRead = isShown || isHistory
  const body = Buffer.concat([length, header, isRead && content ? content.bytes : Buffer.alloc(0)])
  const hasDownload = isHistory || (isShown && content?.message && mayHaveFile(content.message))
  const kind = hasDownload ? 'file_message' : 'message'
  return { key, kind, receivedAtMs, chat: chatOf(remoteJid), body }
}

/**
 * A message that can never become an event, stored with all that is known of it so that the operator can examine it.
 */
export function poisonItem(stanza: BinaryNode, content: Uint8Array, key: string, receivedAtMs: number): InboxItem {
  const decrypted = { tag: 'decrypted', attrs: {}, content }
  const body = Buffer.from(writeStanza({ tag: 'poison', attrs: {}, content: [stanza, decrypted] }))
  return { key, kind: stanza.tag, receivedAtMs, body, poison: true }
}

export function readMessage(body: Uint8Array): StoredMessage {
  const bytes = Buffer.from(body)
  const end = 4 + bytes.readUInt32BE(0)
  const header = JSON.parse(bytes.subarray(4, end).toString()) as Omit<StoredMessage, 'message'>
  return { ...header, message: unwrapped(decodeMessage(bytes.subarray(end))) }
}

/** A stanza that is stored unchanged. */
export function stanzaItem(stanza: BinaryNode, receivedAtMs: number): InboxItem {
  const chat = stanza.attrs.from
  const body = Buffer.from(writeStanza(stanza))
  if (stanza.tag === 'receipt') receipts.set(body, stanza)
  const item = { key: storable(stanzaKey(stanza, receivedAtMs)), kind: stanza.tag, receivedAtMs, body }
  return chat === undefined ? item : { ...item, chat: chatOf(chat) }
}

/** Receipts that are still in memory, by their bodies: most are read right after they were stored. */
const receipts = new WeakMap<Uint8Array, BinaryNode>()

export function readStanza(body: Uint8Array): BinaryNode {
  return receipts.get(body) ?? readStanzaJson(Buffer.from(body).toString())
}

function stanzaKey({ tag, attrs, content }: BinaryNode, receivedAtMs: number): string {
  const from = `${attrs.from ?? ''}/${attrs.participant ?? ''}`
  switch (tag) {
    case 'receipt':
      return `r/${from}/${attrs.type ?? ''}/${attrs.id}${listed(content)}`
    case 'call': {
      const info = Array.isArray(content) ? content[0] : undefined
      return `c/${from}/${info?.tag ?? ''}/${info?.attrs['call-id'] ?? ''}/${attrs.id ?? ''}`
    }
    case 'notification':
      return `n/${from}/${attrs.type ?? ''}/${attrs.id ?? ''}`
    default:
      sequence += 1
      return `p/${from}/${receivedAtMs}/${sequence}`
  }
}

/** Receipts with the same first id may list different further ids or recipients. */
function listed(content: BinaryNode['content']): string {
  const lists = Array.isArray(content) ? content : []
  const items = lists.flatMap(list => getBinaryNodeChildren(list, 'item').map(({ attrs }) => attrs.id))
  const people = lists.flatMap(({ tag, attrs, content: users }) =>
    tag === 'participants' ? [JSON.stringify([attrs, Array.isArray(users) ? users.map(user => user.attrs) : []])] : [],
  )
  if (items.length + people.length === 0) return ''
  const hash = createHash('sha256')
  for (const entry of [...items, ...people]) hash.update(`${entry}\n`)
  return `/${hash.digest('base64url')}`
}

// Presence has no id on the wire, so each one gets a new key.
let sequence = 0

interface Written {
  tag: string
  attrs: BinaryNode['attrs']
  content?: string | Written[] | { type: 'Buffer'; data: string }
}

/**
 * A stanza as JSON. Bytes are recognized by their position: attributes stay attributes, whatever names and values a
 * sender gives them.
 */
const writeStanza = (stanza: BinaryNode): string => JSON.stringify(written(stanza))

const readStanzaJson = (json: string): BinaryNode => read(JSON.parse(json) as Written)

function written({ tag, attrs, content }: BinaryNode): Written {
  if (content === undefined || content === null) return { tag, attrs }
  if (typeof content === 'string') return { tag, attrs, content }
  if (Array.isArray(content)) return { tag, attrs, content: content.map(written) }
  return { tag, attrs, content: { type: 'Buffer', data: Buffer.from(content).toString('base64') } }
}

function read({ tag, attrs, content }: Written): BinaryNode {
  if (content === undefined) return { tag, attrs }
  if (typeof content === 'string') return { tag, attrs, content }
  if (Array.isArray(content)) return { tag, attrs, content: content.map(read) }
  return { tag, attrs, content: Buffer.from(content.data, 'base64') }
}

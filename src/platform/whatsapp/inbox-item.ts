import { createHash } from 'node:crypto'
import { type BinaryNode, getBinaryNodeChildren, proto, type WAMessage } from 'baileys'
import { withoutDevice } from '../../domain/jid.ts'
import type { InboxItem } from '../platform.ts'
import { silentReason } from './silent-messages.ts'
import { readStanzaJson, writeStanza } from './stanza-json.ts'
import { secondsOr } from './wire-numbers.ts'

/** What is kept of a received message until it has become an event. */
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
  /** Why it will never be an event; its content is not kept then. */
  silent?: string
  message: proto.IMessage
}

/** Names a message for good, also when it is delivered twice or sent again by the phone. */
export function messageKey(chat: string, participant: string | null | undefined, id: string): string {
  return storable(`m/${withoutDevice(chat)}/${participant ? withoutDevice(participant) : ''}/${id}`)
}

/** Others choose ids: one that a database would not take must not keep a message from being kept. */
function storable(key: string): string {
  return /^[\x20-\x7e]{1,500}$/.test(key) ? key : `#/${createHash('sha256').update(key).digest('base64url')}`
}

export function messageKeyOfStanza({ attrs }: BinaryNode): string {
  const isOwnCopy = attrs.recipient !== undefined && attrs.participant === undefined
  return messageKey((isOwnCopy ? attrs.recipient : attrs.from) ?? '', attrs.participant, attrs.id ?? '')
}

/** The body: a header as JSON behind its length, then the message as the protocol writes it. */
export function messageItem(received: WAMessage, key: string, receivedAtMs: number): InboxItem {
  const silent = silentReason(received)
  const { id, remoteJid, remoteJidAlt, participant, participantAlt, fromMe, server_id: serverId } = received.key
  const header = Buffer.from(
    JSON.stringify({
      key: { id, remoteJid, remoteJidAlt, participant, participantAlt, fromMe: fromMe === true, serverId },
      timestamp: secondsOr(received.messageTimestamp, receivedAtMs),
      pushName: received.pushName ?? received.verifiedBizName ?? '',
      silent,
    }),
  )
  const content = silent === undefined ? proto.Message.encode(received.message ?? {}).finish() : Buffer.alloc(0)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(header.length)
  const body = Buffer.concat([length, header, content])
  return { key, kind: 'message', receivedAtMs, chat: withoutDevice(remoteJid ?? ''), body }
}

export function readMessage(body: Uint8Array): StoredMessage {
  const bytes = Buffer.from(body)
  const end = 4 + bytes.readUInt32BE(0)
  const header = JSON.parse(bytes.subarray(4, end).toString()) as Omit<StoredMessage, 'message'>
  return { ...header, message: proto.Message.decode(bytes.subarray(end)) }
}

/** A stanza that is kept as it came. */
export function stanzaItem(stanza: BinaryNode, receivedAtMs: number): InboxItem {
  const chat = stanza.attrs.from
  const body = Buffer.from(writeStanza(stanza))
  const item = { key: storable(stanzaKey(stanza, receivedAtMs)), kind: stanza.tag, receivedAtMs, body }
  return chat === undefined ? item : { ...item, chat: withoutDevice(chat) }
}

export function readStanza(body: Uint8Array): BinaryNode {
  return readStanzaJson(Buffer.from(body).toString())
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

/** Receipts that begin with the same id may tell of different others. */
function listed(content: BinaryNode['content']): string {
  const items = Array.isArray(content) ? content.flatMap(list => getBinaryNodeChildren(list, 'item')) : []
  if (items.length === 0) return ''
  const hash = createHash('sha256')
  for (const { attrs } of items) hash.update(`${attrs.id}\n`)
  return `/${hash.digest('base64url')}`
}

// Presence has no identity on the wire: each one is new.
let sequence = 0

import { randomBytes, randomInt } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { normalizeMessageContent, proto } from 'baileys'
import { hasLid, isHidden } from '../behaviour.ts'
import { unixSeconds } from '../clock.ts'
import { lidJid, lidOf, numberJid } from '../jid.ts'
import { otherNameOf, userOf } from '../people.ts'
import { nameTo } from '../server/face.ts'
import { keptToken, saltOf } from '../server/tokens.ts'
import { encodeFields } from '../signal/fields.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { uploadFile } from './media-content.ts'

const { HistorySyncType } = proto.HistorySync
type SyncType = proto.HistorySync.HistorySyncType

/** A file of a history with chats that the simulated phones do not have: their people are not on the network. */
export interface OldChats {
  /** The position of the first one among all old chats; default 0. */
  readonly first?: number
  readonly chats: number
  /** The number of messages in each chat. */
  readonly messages: number
}

/** The conversation between a contact and the number, in the form of a history. */
function conversationWith(user: User, contact: User): proto.IConversation {
  const remoteJid = otherNameOf(contact, 'lid') ?? lidJid(contact.lid)
  const received = [...contact.sent.values()]
    .filter(sent => sent.chat === user.digits)
    .map(sent => ({
      key: { remoteJid, fromMe: false, id: sent.id },
      message: proto.Message.decode(sent.content),
      messageTimestamp: sent.timestamp,
      pushName: nameTo(contact, [user]),
    }))
  const written = [...user.inbox.values()]
    .filter(held => held.fromMe && held.chat === contact.digits)
    .map(held => ({
      key: { remoteJid, fromMe: true, id: held.id },
      message: held.message,
      messageTimestamp: held.timestamp,
    }))
  const messages = [...received, ...written].sort((a, b) => b.messageTimestamp - a.messageTimestamp)
  const names = { id: remoteJid, lidJid: hasLid(contact) ? lidJid(contact.lid) : undefined }
  const newest = messages.find(({ message }) => expirationIn(message) !== undefined)
  const setting = newest && {
    ephemeralExpiration: expirationIn(newest.message),
    ephemeralSettingTimestamp: newest.messageTimestamp,
  }
  return { ...names, ...setting, ...keptToken(contact, user), messages: messages.map(message => ({ message })) }
}

function expirationIn(message: proto.IMessage): number | undefined {
  return normalizeMessageContent(message)?.extendedTextMessage?.contextInfo?.expiration ?? undefined
}

function contactsOf(network: Network, user: User): User[] {
  const written = [...user.inbox.values()].map(held => held.chat).filter(chat => !chat.includes('@'))
  const known = [...network.users.values()].filter(contact =>
    [...contact.sent.values()].some(sent => sent.chat === user.digits),
  )
  return [...new Set([...written.map(digits => userOf(network, digits)), ...known])]
}

/** A field of histories that the codec does not know. */
const SALT_FIELD = 19

const saltField = (user: User): Buffer => encodeFields([[SALT_FIELD, saltOf(user)]])

function recentHistory(network: Network, user: User): proto.IHistorySync {
  const contacts = contactsOf(network, user)
  const mappings = contacts
    .filter(contact => hasLid(contact) && !isHidden(contact))
    .map(contact => ({ pnJid: numberJid(contact.digits), lidJid: lidJid(contact.lid) }))
  const conversations = contacts.map(contact => conversationWith(user, contact))
  return { conversations, phoneNumberToLidMappings: mappings }
}

/** The digits of the person with whom an old chat is, by its position. */
export const oldContact = (position: number): string => `55119${String(7_000_0000 + position).padStart(8, '0')}`

const FIRST_OLD_SECONDS = 90 * 86_400

const WORDS = randomBytes(300_000).toString('base64')
const TEXT_LENGTH = 200

/** A text that hardly compresses. */
function oldText(): string {
  const from = randomInt(WORDS.length - TEXT_LENGTH)
  return WORDS.slice(from, from + TEXT_LENGTH)
}

function oldConversation(network: Network, position: number, messages: number): proto.IConversation {
  const digits = oldContact(position)
  const id = lidJid(lidOf(digits))
  const began = unixSeconds(network) - FIRST_OLD_SECONDS
  return {
    id,
    pnJid: numberJid(digits),
    messages: Array.from({ length: messages }, (_, i) => ({
      message: {
        key: { remoteJid: id, fromMe: i % 2 === 0, id: randomBytes(10).toString('hex').toUpperCase() },
        message: { conversation: oldText() },
        messageTimestamp: began + position + i,
      },
    })),
  }
}

export function historyNotification(
  syncType: SyncType,
  file: Partial<proto.Message.IHistorySyncNotification>,
  part: number,
) {
  const historySyncNotification = { syncType, chunkOrder: part, progress: 100, ...file }
  return {
    protocolMessage: { type: proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION, historySyncNotification },
  }
}

export const encodedHistory = (user: User, syncType: SyncType, history: Partial<proto.IHistorySync>): Buffer =>
  deflateSync(Buffer.concat([proto.HistorySync.encode({ ...history, syncType }).finish(), saltField(user)]), {
    level: 1,
  })

/** The messages in which a phone sends its history to a new device: the first part inside, the second as a file. */
export function historyMessages(network: Network, user: User): proto.IMessage[] {
  const { INITIAL_BOOTSTRAP, RECENT } = HistorySyncType
  const recent = recentHistory(network, user)
  const inside = { initialHistBootstrapInlinePayload: encodedHistory(user, INITIAL_BOOTSTRAP, recent) }
  const file = uploadFile(network, encodedHistory(user, RECENT, recent), 'md-msg-hist')
  return [historyNotification(INITIAL_BOOTSTRAP, inside, 1), historyNotification(RECENT, file, 1)]
}

/** A further part of a history. */
export function oldChatsMessage(network: Network, user: User, old: OldChats): proto.IMessage {
  const { first = 0, chats, messages } = old
  const conversations = Array.from({ length: chats }, (_, i) => oldConversation(network, first + i, messages))
  const { RECENT } = HistorySyncType
  const file = uploadFile(network, encodedHistory(user, RECENT, { conversations }), 'md-msg-hist')
  return historyNotification(RECENT, file, 2 + Math.floor(first / chats))
}

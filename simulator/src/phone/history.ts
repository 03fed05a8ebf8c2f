import { randomBytes } from 'node:crypto'
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

/** More history than the simulated phones have: chats with people who are otherwise not on the network. */
export interface OldHistory {
  /** The number of files. */
  readonly parts: number
  /** The number of chats in each. */
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

/** The digits of the person with whom an old chat is, by its position in all parts. */
export const oldContact = (position: number): string => `55119${String(7_000_0000 + position).padStart(8, '0')}`

const FIRST_OLD_SECONDS = 90 * 86_400

/** Texts that hardly compress, like those of people. */
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
        message: { conversation: randomBytes(150).toString('base64') },
        messageTimestamp: began + position + i,
      },
    })),
  }
}

function notificationOf(syncType: SyncType, file: Partial<proto.Message.IHistorySyncNotification>, part: number) {
  const historySyncNotification = { syncType, chunkOrder: part, progress: 100, ...file }
  return {
    protocolMessage: { type: proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION, historySyncNotification },
  }
}

const encoded = (user: User, syncType: SyncType, history: Partial<proto.IHistorySync>): Buffer =>
  deflateSync(Buffer.concat([proto.HistorySync.encode({ ...history, syncType }).finish(), saltField(user)]))

/** The messages in which a phone sends its history to a new device: the first part inside, the others as files. */
export function* historyMessages(network: Network, user: User, old?: OldHistory): Generator<proto.IMessage> {
  const { INITIAL_BOOTSTRAP, RECENT } = HistorySyncType
  const recent = recentHistory(network, user)
  const inside = { initialHistBootstrapInlinePayload: encoded(user, INITIAL_BOOTSTRAP, recent) }
  yield notificationOf(INITIAL_BOOTSTRAP, inside, 1)
  yield notificationOf(RECENT, uploadFile(network, encoded(user, RECENT, recent), 'md-msg-hist'), 1)
  for (let part = 0; part < (old?.parts ?? 0); part += 1) {
    const { chats, messages } = old!
    const conversations = Array.from({ length: chats }, (_, i) => oldConversation(network, part * chats + i, messages))
    const file = uploadFile(network, encoded(user, RECENT, { conversations }), 'md-msg-hist')
    yield notificationOf(RECENT, file, part + 2)
  }
}

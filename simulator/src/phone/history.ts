import { randomBytes, randomInt } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { normalizeMessageContent, proto } from 'baileys'
import { hasLid, isHidden } from '../behaviour.ts'
import { unixSeconds } from '../clock.ts'
import { isGroupJid, lidJid, lidOf, numberJid } from '../jid.ts'
import { otherNameOf, userByJid, userOf } from '../people.ts'
import { nameTo } from '../server/face.ts'
import { keptToken, saltOf } from '../server/tokens.ts'
import { encodeFields } from '../signal/fields.ts'
import type { SentMessage } from '../world/message.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { uploadFile } from './media-content.ts'
import { createMessageId } from './message-id.ts'

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

/** The messages of a chat that the phone holds, newest first. */
export function messagesIn(
  network: Network,
  user: User,
  chatJid: string,
): Array<proto.IWebMessageInfo & { atMs: number }> {
  const contact = isGroupJid(chatJid) ? undefined : userByJid(network, chatJid)
  const chat = contact?.digits ?? chatJid
  const isMine = (sent: SentMessage): boolean => sent.chat === chat
  const others = contact ? [contact] : [...network.users.values()].filter(other => other !== user)
  const received = others.flatMap(other =>
    [...other.sent.values()]
      .filter(sent => sent.chat === (contact ? user.digits : chat))
      .map(sent => ({
        key: {
          remoteJid: chatJid,
          fromMe: false,
          id: sent.id,
          ...(!contact && { participant: otherNameOf(other, 'lid') ?? lidJid(other.lid) }),
        },
        message: proto.Message.decode(sent.content),
        messageTimestamp: sent.timestamp,
        atMs: sent.atMs,
        pushName: nameTo(other, [user]),
      })),
  )
  const own = [...user.sent.values()].filter(isMine).map(sent => ({
    key: { remoteJid: chatJid, fromMe: true, id: sent.id },
    message: proto.Message.decode(sent.content),
    messageTimestamp: sent.timestamp,
    atMs: sent.atMs,
  }))
  const byDevices = [...user.inbox.values()]
    .filter(held => held.fromMe && held.chat === chat)
    .map(held => ({
      key: { remoteJid: chatJid, fromMe: true, id: held.id },
      message: held.message,
      messageTimestamp: held.timestamp,
      atMs: held.atMs,
    }))
  return [...received, ...own, ...byDevices].sort((a, b) => b.atMs - a.atMs)
}

/** What a phone shows above the first message of a chat: a message without content. */
const encryptedNotice = (chatJid: string, oldest: proto.IWebMessageInfo): proto.IWebMessageInfo => ({
  key: { remoteJid: chatJid, fromMe: true, id: createMessageId() },
  messageTimestamp: oldest.messageTimestamp ?? 0,
  messageStubType: proto.WebMessageInfo.StubType.E2E_ENCRYPTED,
})

function conversationOf(chatJid: string, held: readonly proto.IWebMessageInfo[]): proto.IConversation {
  const oldest = held.at(-1)
  const messages = oldest ? [...held, encryptedNotice(chatJid, oldest)] : []
  return { id: chatJid, messages: messages.map(message => ({ message })) }
}

/** The conversation between a contact and the number, in the form of a history. */
function conversationWith(network: Network, user: User, contact: User): proto.IConversation {
  const chatJid = otherNameOf(contact, 'lid') ?? lidJid(contact.lid)
  const messages = messagesIn(network, user, chatJid)
  const newest = messages.find(({ message }) => expirationIn(message) !== undefined)
  const setting = newest && {
    ephemeralExpiration: expirationIn(newest.message) ?? null,
    ephemeralSettingTimestamp: newest.messageTimestamp ?? null,
  }
  const names = { lidJid: hasLid(contact) ? lidJid(contact.lid) : null }
  return { ...conversationOf(chatJid, messages), ...names, ...setting, ...keptToken(contact, user) }
}

function groupConversations(network: Network, user: User): proto.IConversation[] {
  const groups = [...network.groups.values()].filter(({ members }) => members.has(user.digits))
  return groups.map(({ jid, subject }) => ({ ...conversationOf(jid, messagesIn(network, user, jid)), name: subject }))
}

function expirationIn(message: proto.IMessage | null | undefined): number | undefined {
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
  const direct = contacts.map(contact => conversationWith(network, user, contact))
  const conversations = [...direct, ...groupConversations(network, user)]
  return { conversations, phoneNumberToLidMappings: mappings }
}

/** The digits of the person with whom an old chat is, by its position. */
export const oldContact = (position: number): string => `55119${String(7_000_0000 + position).padStart(8, '0')}`

const FIRST_OLD_SECONDS = 60 * 86_400

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

/** The newest messages of each chat are in the first part, and again in the next ones. */
const FIRST_PART_MESSAGES = 3

/** Divides the messages of all chats into parts of this many. */
function inParts(conversations: readonly proto.IConversation[], size: number): proto.IConversation[][] {
  const parts: proto.IConversation[][] = [[]]
  let room = size
  for (const { messages, ...chat } of conversations) {
    let rest = messages ?? []
    do {
      if (room === 0) {
        parts.push([])
        room = size
      }
      parts.at(-1)!.push({ ...chat, messages: rest.slice(0, room) })
      const taken = Math.min(room, rest.length)
      rest = rest.slice(taken)
      room -= taken
    } while (rest.length > 0)
  }
  return parts
}

/** The messages in which a phone sends its history to a new device: the first part inside, the others as files. */
export function historyMessages(network: Network, user: User): proto.IMessage[] {
  const { INITIAL_BOOTSTRAP, RECENT } = HistorySyncType
  const { conversations = [], ...recent } = recentHistory(network, user)
  const newest = (conversations ?? []).map(chat => ({
    ...chat,
    messages: chat.messages?.slice(0, FIRST_PART_MESSAGES) ?? [],
  }))
  const first = encodedHistory(user, INITIAL_BOOTSTRAP, { ...recent, conversations: newest })
  const inside = historyNotification(INITIAL_BOOTSTRAP, { initialHistBootstrapInlinePayload: first }, 1)
  const parts = inParts(conversations ?? [], network.faults.historyParts.get(user.digits) ?? Number.POSITIVE_INFINITY)
  const files = parts.map((chats, i) => {
    const file = uploadFile(network, encodedHistory(user, RECENT, { ...recent, conversations: chats }), 'md-msg-hist')
    return historyNotification(RECENT, { ...file, progress: Math.floor((100 * (i + 1)) / parts.length) }, i + 1)
  })
  return [inside, ...files]
}

/** A further part of a history. */
export function oldChatsMessage(network: Network, user: User, old: OldChats): proto.IMessage {
  const { first = 0, chats, messages } = old
  const conversations = Array.from({ length: chats }, (_, i) => oldConversation(network, first + i, messages))
  const { RECENT } = HistorySyncType
  const file = uploadFile(network, encodedHistory(user, RECENT, { conversations }), 'md-msg-hist')
  return historyNotification(RECENT, file, 2 + Math.floor(first / chats))
}

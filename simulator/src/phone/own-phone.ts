import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { encodeWAMessage, proto, unpadRandomMax16 } from 'baileys'
import { hasLid, isHidden } from '../behaviour.ts'
import { nowMs, unixSeconds } from '../clock.ts'
import { lidJid, numberJid } from '../jid.ts'
import { otherNameOf, userOf } from '../people.ts'
import { nameTo } from '../server/face.ts'
import { saveDevice, takeBundle } from '../server/linked-device.ts'
import { message as messageStanza } from '../server/message-stanzas.ts'
import { push } from '../server/outbox.ts'
import { keptToken, saltOf } from '../server/tokens.ts'
import { encodeFields } from '../signal/fields.ts'
import { type BinaryNode, bytesOf, child } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { addSession, decryptFrom, encryptFor, hasSession } from './keys.ts'
import { createMessageId } from './message-id.ts'
import { resendAnswer } from './placeholder-resend.ts'

/** Sends a message from the number's own phone to one of its devices, outside of any chat. */
function sendToOwnDevice(network: Network, user: User, device: LinkedDevice, message: proto.IMessage): void {
  if (!hasSession(user, device)) addSession(network, user, device, takeBundle(network, device))
  const { type, body } = encryptFor(network, user, device, encodeWAMessage(message))
  const head = {
    id: createMessageId(),
    t: String(unixSeconds(network)),
    type: 'text',
    notify: user.name,
    category: 'peer',
  }
  push(network, device, messageStanza({ ...head, from: numberJid(user.digits) }, [{ type, body }]))
}

const { HistorySyncType } = proto.HistorySync
const { Type } = proto.Message.ProtocolMessage

function appStateKey(network: Network, user: User): proto.IMessage {
  const secret = createHash('sha256').update('app state').update(user.keys.local.identity.private).digest()
  const key = {
    keyId: { keyId: Buffer.from([0, 0, 0, 0, 0, 1]) },
    keyData: {
      keyData: secret,
      fingerprint: { rawId: 1, currentIndex: 0, deviceIndexes: [0] },
      timestamp: nowMs(network),
    },
  }
  return { protocolMessage: { type: Type.APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: { keys: [key] } } }
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
  return { ...names, ...keptToken(contact, user), messages: messages.map(message => ({ message })) }
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

/** A part of the phone's history, inside the message. */
function historyMessage(network: Network, user: User, syncType: proto.HistorySync.HistorySyncType): proto.IMessage {
  const contacts = contactsOf(network, user)
  const mappings = contacts
    .filter(contact => hasLid(contact) && !isHidden(contact))
    .map(contact => ({ pnJid: numberJid(contact.digits), lidJid: lidJid(contact.lid) }))
  const conversations = contacts.map(contact => conversationWith(user, contact))
  const history = { syncType, progress: 100, conversations, phoneNumberToLidMappings: mappings }
  const payload = deflateSync(Buffer.concat([proto.HistorySync.encode(history).finish(), saltField(user)]))
  const notification = { syncType, progress: 100, chunkOrder: 1, initialHistBootstrapInlinePayload: payload }
  return { protocolMessage: { type: Type.HISTORY_SYNC_NOTIFICATION, historySyncNotification: notification } }
}

/** The phone sends its history to a device of its own. */
export function sendHistory(network: Network, user: User, device: LinkedDevice): void {
  for (const syncType of [HistorySyncType.INITIAL_BOOTSTRAP, HistorySyncType.RECENT]) {
    sendToOwnDevice(network, user, device, historyMessage(network, user, syncType))
  }
}

/** The phone shares its keys and history with a device that logs in for the first time. */
export function greetDevice(network: Network, device: LinkedDevice): void {
  if (device.greeted || !network.historySync) return
  device.greeted = true
  saveDevice(network, device)
  const user = userOf(network, device.digits)
  sendToOwnDevice(network, user, device, appStateKey(network, user))
  sendHistory(network, user, device)
}

/** Answers a device's request to its own phone. Only requests to resend withheld messages get a response. */
export function answerPeerRequest(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  const part = child(stanza, 'enc')
  if (!part) return
  const user = userOf(network, device.digits)
  try {
    const plaintext = decryptFrom(network, user, device, part.attrs.type ?? '', bytesOf(part))
    const answer = resendAnswer(network, user, stanza.attrs.id ?? '', proto.Message.decode(unpadRandomMax16(plaintext)))
    if (answer) sendToOwnDevice(network, user, device, answer)
  } catch (error) {
    network.logger?.debug(
      { number: device.digits, reason: String(error) },
      'the phone cannot read a request of its device',
    )
  }
}

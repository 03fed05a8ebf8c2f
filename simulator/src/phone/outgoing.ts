import { encodeWAMessage, proto } from 'baileys'
import { type Addressing, STATUS } from '../jid.ts'
import { nameOf, otherNameOf, userOf } from '../people.ts'
import { takeBundle } from '../server/linked-device.ts'
import { type EncryptedPart, message as messageStanza, type MessageHead } from '../server/message-stanzas.ts'
import { push } from '../server/outbox.ts'
import { issueToken } from '../server/tokens.ts'
import { createSenderKey, distributionOf, encryptForGroup } from '../signal/sender-key.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { SentMessage } from '../world/message.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { addressKey, addSession, encryptFor, hasSession } from './keys.ts'
import { stanzaTypeOf } from './message-text.ts'
import { padded } from './newer-fields.ts'
import { notifyPhones } from './notify.ts'
import { type OutgoingMessage, remember } from './sent.ts'

/** The recipients of a message: one person, or all members of a chat that has its own JID. */
export type Destination =
  | { readonly kind: 'person'; readonly peer: User }
  | { readonly kind: 'group'; readonly chat: string; readonly members: readonly User[] }
  | { readonly kind: 'list'; readonly chat: string; readonly members: readonly User[] }

function headFor(user: User, chat: string | undefined, outgoing: OutgoingMessage): MessageHead {
  const { head } = outgoing
  const name = nameOf(user, head.addressing)
  const other = otherNameOf(user, head.addressing)
  return {
    id: outgoing.id,
    t: String(outgoing.timestamp),
    type: stanzaTypeOf(outgoing.message).type,
    notify: head.notify,
    ...(user.username === undefined ? {} : { username: user.username }),
    addressing: head.addressing,
    from: chat ?? name,
    ...(chat === undefined ? {} : { participant: name }),
    ...(head.hidden || other === undefined ? {} : { senderAlt: other }),
    ...(head.edit === undefined ? {} : { edit: head.edit }),
    ...(head.category === undefined ? {} : { category: head.category }),
    ...(head.withheld === undefined ? {} : { withheld: head.withheld }),
  }
}

function tamper(network: Network, device: LinkedDevice, parts: EncryptedPart[]): EncryptedPart[] {
  if (!network.faults.tampered.take(device.digits)) return parts
  return parts.map((part, index) => {
    if (index < parts.length - 1) return part
    const body = Buffer.from(part.body)
    body[body.length - 12]! ^= 0xff
    return { ...part, body }
  })
}

function sealFor(network: Network, user: User, device: LinkedDevice, plaintext: Uint8Array): EncryptedPart {
  if (!hasSession(user, device)) addSession(network, user, device, takeBundle(network, device))
  const { type, body } = encryptFor(network, user, device, plaintext)
  return { type, body }
}

function pushTo(network: Network, device: LinkedDevice, head: MessageHead, parts: EncryptedPart[]): void {
  const stanza = messageStanza(head, tamper(network, device, parts))
  const isRetagged = head.from === STATUS && network.faults.retagsStatus
  push(network, device, isRetagged ? { ...stanza, tag: 'status' } : stanza)
}

/** How a copy for an own device names the chat; by number, it has no alternative name. */
function ownCopy(peer: User, addressing: Addressing): Pick<MessageHead, 'recipient' | 'recipientAlt'> {
  const recipientAlt = addressing === 'lid' ? otherNameOf(peer, addressing) : undefined
  return { recipient: nameOf(peer, addressing), recipientAlt }
}

/** Sends copies to the sender's own linked devices; they name the recipient. */
function sendOwnCopies(network: Network, user: User, peer: User, outgoing: OutgoingMessage): void {
  const destinationJid = nameOf(peer, outgoing.head.addressing)
  const copy = encodeWAMessage({ deviceSentMessage: { destinationJid, message: outgoing.message } })
  for (const device of user.devices.values()) {
    const head = { ...headFor(user, undefined, outgoing), ...ownCopy(peer, outgoing.head.addressing) }
    pushTo(network, device, head, [sealFor(network, user, device, copy)])
  }
}

function sendToPersons(
  network: Network,
  user: User,
  chat: string | undefined,
  peers: readonly User[],
  outgoing: OutgoingMessage,
): void {
  const plaintext = padded(outgoing)
  const { mediaType } = stanzaTypeOf(outgoing.message)
  const reached = peers.filter(peer => !peer.blocked.has(user.digits))
  for (const device of reached.flatMap(peer => [...peer.devices.values()])) {
    const part = sealFor(network, user, device, plaintext)
    pushTo(network, device, headFor(user, chat, outgoing), [mediaType ? { ...part, mediaType } : part])
  }
  // Nobody is notified of a status post.
  if (chat !== STATUS) notifyPhones(network, user, reached, outgoing.id)
}

function sendToGroup(
  network: Network,
  user: User,
  chat: string,
  members: readonly User[],
  outgoing: OutgoingMessage,
): void {
  const devices = members.flatMap(member => [...member.devices.values()])
  const shared = user.keys.ownSenderKeys.get(chat) ?? { key: createSenderKey(), sharedWith: new Set<string>() }
  const distribution = encodeWAMessage({
    senderKeyDistributionMessage: { groupId: chat, axolotlSenderKeyDistributionMessage: distributionOf(shared.key) },
  })
  const [key, body] = encryptForGroup(shared.key, padded(outgoing))
  const { mediaType } = stanzaTypeOf(outgoing.message)
  const sharedWith = new Set(shared.sharedWith)
  for (const device of devices) {
    const parts: EncryptedPart[] = [{ type: 'skmsg', body, ...(mediaType ? { mediaType } : {}) }]
    if (!sharedWith.has(addressKey(device))) parts.unshift(sealFor(network, user, device, distribution))
    sharedWith.add(addressKey(device))
    pushTo(network, device, headFor(user, chat, outgoing), parts)
  }
  notifyPhones(network, user, members, outgoing.id)
  user.keys.ownSenderKeys.set(chat, { key, sharedWith })
  network.journal.put(`ownkey/${user.digits}/${chat}`, () => user.keys.ownSenderKeys.get(chat))
}

/** Sends a message from a phone to all linked devices of the recipients, and keeps it for resending. */
export function sendFromPhone(network: Network, user: User, to: Destination, outgoing: OutgoingMessage): void {
  remember(network, user, to.kind === 'person' ? to.peer.digits : to.chat, outgoing)
  switch (to.kind) {
    case 'person':
      sendToPersons(network, user, undefined, [to.peer], outgoing)
      if (to.peer !== user) sendOwnCopies(network, user, to.peer, outgoing)
      issueToken(network, user, to.peer)
      break
    case 'list':
      sendToPersons(network, user, to.chat, to.members, outgoing)
      break
    case 'group':
      sendToGroup(network, user, to.chat, to.members, outgoing)
      break
  }
  network.changed()
}

/** The content for a device that could not read it: with the sender key of the group, or as an own device's copy. */
function contentAgain(network: Network, user: User, device: LinkedDevice, sent: SentMessage): proto.IMessage {
  const message: proto.IMessage = proto.Message.decode(sent.content)
  const own = user.keys.ownSenderKeys.get(sent.chat)
  if (own) {
    const axolotlSenderKeyDistributionMessage = distributionOf(own.key)
    message.senderKeyDistributionMessage = { groupId: sent.chat, axolotlSenderKeyDistributionMessage }
  }
  if (device.digits !== user.digits || sent.chat.includes('@')) return message
  const destinationJid = nameOf(userOf(network, sent.chat), sent.head.addressing)
  return { deviceSentMessage: { destinationJid, message } }
}

/** Sends a message again to one device that could not read it. */
export function resend(network: Network, user: User, device: LinkedDevice, id: string, count: number): void {
  const sent = user.sent.get(id)
  if (!sent) return
  const { head, timestamp } = sent
  const chat = sent.chat.includes('@') ? sent.chat : undefined
  const content = contentAgain(network, user, device, sent)
  const copy = content.deviceSentMessage
  const stanzaHead = headFor(user, chat, { id, message: copy?.message ?? content, head, timestamp })
  // The original bytes follow the sender key unchanged, including fields that the codec does not know.
  const { senderKeyDistributionMessage = null } = content
  const again = copy
    ? encodeWAMessage(content)
    : padded({ message: { senderKeyDistributionMessage }, newer: sent.content })
  const part = sealFor(network, user, device, again)
  const recipient = copy?.destinationJid ? ownCopy(userOf(network, sent.chat), head.addressing) : {}
  pushTo(network, device, { ...stanzaHead, ...recipient }, [{ ...part, count }])
}

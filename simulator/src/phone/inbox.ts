import { proto, unpadRandomMax16 } from 'baileys'
import { nowMs, nowText, unixSeconds } from '../clock.ts'
import { type DeviceAddress, toDigits } from '../jid.ts'
import { currentOwner } from '../owner.ts'
import { userByJid } from '../people.ts'
import { retryReceipt } from '../server/message-stanzas.ts'
import { push } from '../server/outbox.ts'
import { keyNodes } from '../server/stanzas.ts'
import { type BinaryNode, bytesOf } from '../wire/node.ts'
import type { Companion } from '../world/companion.ts'
import type { HeldMessage, ReceiptRoute } from '../world/message.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import type { KeyHolder } from '../world/phone-keys.ts'
import { holderOf, noteRead } from './companions.ts'
import { hold, newHeldKey } from './held.ts'
import { decryptFrom, decryptGroupMessage, learnSenderKey, publishBundle } from './keys.ts'
import { shownMessage } from './obey.ts'
import { scheduleReading, sendReceipt } from './reading.ts'

/** A message on its way to one phone. */
export interface IncomingMessage {
  readonly id: string
  readonly sender: DeviceAddress
  /** The JID the client sent it to. */
  readonly to: string
  /** The parts encrypted for this phone, in order. */
  readonly parts: readonly BinaryNode[]
  readonly route: ReceiptRoute
  /** Whether buttons in it may be shown. */
  readonly isAnnounced: boolean
  /** How the stanza says that it changes an earlier message. */
  readonly edit?: string | undefined
  /** Whether it was sent again, for this device only. */
  readonly isAgain?: boolean
}

function decode(network: Network, user: KeyHolder, incoming: IncomingMessage): proto.Message | undefined {
  let message: proto.Message | undefined
  let hasSenderKey = false
  for (const part of incoming.parts) {
    const body = bytesOf(part)
    const plaintext =
      part.attrs.type === 'skmsg'
        ? decryptGroupMessage(network, user, incoming.to, incoming.sender, body)
        : decryptFrom(network, user, incoming.sender, part.attrs.type ?? '', body)
    const decoded = proto.Message.decode(unpadRandomMax16(plaintext))
    const distribution = decoded.senderKeyDistributionMessage
    if (distribution?.groupId && distribution.axolotlSenderKeyDistributionMessage) {
      const { groupId, axolotlSenderKeyDistributionMessage: key } = distribution
      learnSenderKey(network, user, groupId, incoming.sender, key)
      hasSenderKey = true
    }
    if (Object.keys(decoded).some(name => !WITHOUT_CONTENT.has(name))) message = decoded
  }
  const isChat = incoming.route.participant !== undefined
  if (isChat && incoming.isAgain && !hasSenderKey) throw new Error('the resent message lacks the sender key')
  return message
}

const WITHOUT_CONTENT: ReadonlySet<string> = new Set(['senderKeyDistributionMessage', 'messageContextInfo'])

/** Decrypts the message for a device; requests it again if that fails. */
function open(
  network: Network,
  holder: KeyHolder,
  incoming: IncomingMessage,
): { readonly message: proto.Message | undefined } | undefined {
  try {
    if (network.faults.unreadable.take(holder.digits)) throw new Error('the device is set to fail to read it')
    const message = decode(network, holder, incoming)
    network.unread.remove(incoming.id, holder.digits)
    return { message }
  } catch (error) {
    const fields = { id: incoming.id, phone: holder.digits, reason: String(error) }
    const isPhone = holder.digits === toDigits(holder.digits)
    network.logger?.debug(fields, `${isPhone ? 'phone' : 'companion'} cannot read message`)
    network.unread.add({ id: incoming.id, device: holder.digits, why: 'unreadable' })
    requestRetry(network, holder, incoming)
    network.changed()
    return undefined
  }
}

/** A companion decrypts like its phone but sends no receipts. */
export function receiveAtCompanion(
  network: Network,
  user: User,
  companion: Companion,
  incoming: IncomingMessage,
): void {
  if (open(network, holderOf(user, companion), incoming)) noteRead(companion, incoming.id)
  network.changed()
}

/** Decrypts a message, keeps it, and sends receipts. Requests a message that it cannot read again. */
export function receiveMessage(network: Network, user: User, incoming: IncomingMessage): void {
  const opened = open(network, user, incoming)
  if (!opened) return
  const message = shownMessage(network, user, incoming, opened.message)
  if (incoming.sender.digits === user.digits) holdOwn(network, user, incoming, message)
  else holdReceived(network, user, incoming, message)
  network.changed()
}

type HeldContent = Pick<HeldMessage, 'chat' | 'message'> & Partial<Pick<HeldMessage, 'fromMe' | 'read'>>

const OWN = { fromMe: true, read: true }

/** Keeps the copy of a message that another device of the same number has sent. */
function holdOwn(network: Network, user: User, incoming: IncomingMessage, message: proto.IMessage | undefined): void {
  const copy = message?.deviceSentMessage
  if (copy?.message) {
    const chat = userByJid(network, copy.destinationJid ?? undefined)?.digits ?? copy.destinationJid ?? ''
    hold(network, user, heldFrom(network, user, incoming, { chat, message: copy.message, ...OWN }))
  } else if (message && incoming.route.participant !== undefined) {
    hold(network, user, heldFrom(network, user, incoming, { chat: incoming.to, message, ...OWN }))
  }
  const recipient = copy?.destinationJid ?? undefined
  sendReceipt(network, incoming.sender, incoming.id, { ...incoming.route, recipient }, 'sender')
}

function holdReceived(
  network: Network,
  user: User,
  incoming: IncomingMessage,
  message: proto.IMessage | undefined,
): void {
  const chat = incoming.route.participant === undefined ? incoming.sender.digits : incoming.to
  const held = message && hold(network, user, heldFrom(network, user, incoming, { chat, message }))
  network.later(network.timing.receiptDelayMs, () => {
    sendReceipt(network, incoming.sender, incoming.id, incoming.route)
    if (held) scheduleReading(network, user, held)
  })
}

function heldFrom(network: Network, user: User, incoming: IncomingMessage, about: HeldContent): HeldMessage {
  const { id, sender, route } = incoming
  const at = {
    timestamp: unixSeconds(network),
    atMs: network.messageTimes.next(nowMs(network)),
    savedAs: newHeldKey(network, user),
  }
  const state = { owner: currentOwner(), copies: 1, read: false, played: false, fromMe: false }
  return { id, from: sender.digits, sender, route, ...at, ...state, ...about }
}

/** Requests the message again from the sender, with keys for a new session. */
function requestRetry(network: Network, holder: KeyHolder, incoming: IncomingMessage): void {
  const { sender, id, route } = incoming
  const device = network.users.get(sender.digits)?.devices.get(sender.device)
  const count = network.retries.begin(holder.digits, id)
  if (!device || count === undefined || network.faults.lostRetries.take(holder.digits)) return
  network.retries.expect(holder.digits, id, { count, requester: route.participant ?? route.from })
  const bundle = publishBundle(network, holder)
  const times = { t: nowText(network), sentAt: nowText(network) }
  const { registrationId } = bundle
  // A device of the sender names the recipient of the message.
  const isOwn = toDigits(holder.digits) === sender.digits && route.participant === undefined
  const head = { ...route, ...times, id, recipient: isOwn ? incoming.to : undefined }
  push(network, device, retryReceipt({ ...head, count, registrationId, keys: keyNodes(bundle) }))
}

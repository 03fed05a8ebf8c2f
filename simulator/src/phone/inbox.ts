import { proto, unpadRandomMax16 } from 'baileys'
import { nowMs, nowText, unixSeconds } from '../clock.ts'
import type { DeviceAddress } from '../jid.ts'
import { currentOwner } from '../owner.ts'
import { userByJid } from '../people.ts'
import { retryReceipt } from '../server/message-stanzas.ts'
import { push } from '../server/outbox.ts'
import { keyNodes } from '../server/stanzas.ts'
import { type BinaryNode, bytesOf } from '../wire/node.ts'
import type { HeldMessage, ReceiptRoute } from '../world/message.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { hold, newHeldKey } from './held.ts'
import { decryptFrom, decryptGroupMessage, learnSenderKey, publishBundle } from './keys.ts'
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
}

const MAX_RETRIES = 5

function decode(network: Network, user: User, incoming: IncomingMessage): proto.Message | undefined {
  let message: proto.Message | undefined
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
    }
    if (Object.keys(decoded).some(name => !WITHOUT_CONTENT.has(name))) message = decoded
  }
  return message
}

const WITHOUT_CONTENT: ReadonlySet<string> = new Set(['senderKeyDistributionMessage', 'messageContextInfo'])

/** Takes a message in: decrypts it, holds it, and answers with receipts. What cannot be read is asked for again. */
export function receiveMessage(network: Network, user: User, incoming: IncomingMessage): void {
  let message: proto.Message | undefined
  try {
    if (network.faults.unreadable.take(user.digits)) throw new Error('the phone claims not to be able to read it')
    message = decode(network, user, incoming)
  } catch (error) {
    network.logger?.debug({ id: incoming.id, phone: user.digits, reason: String(error) }, 'phone cannot read message')
    requestRetry(network, user, incoming)
    return
  }
  if (incoming.sender.digits === user.digits) holdOwn(network, user, incoming, message)
  else holdReceived(network, user, incoming, message)
  network.changed()
}

type HeldContent = Pick<HeldMessage, 'chat' | 'message'> & Partial<Pick<HeldMessage, 'fromMe' | 'read'>>

const OWN = { fromMe: true, read: true }

/** A copy of what another device of the same number has sent. */
function holdOwn(network: Network, user: User, incoming: IncomingMessage, message: proto.Message | undefined): void {
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
  message: proto.Message | undefined,
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
  const at = { timestamp: unixSeconds(network), atMs: nowMs(network), savedAs: newHeldKey(network, user) }
  const state = { owner: currentOwner(), copies: 1, read: false, played: false, fromMe: false }
  return { id, from: sender.digits, sender, route, ...at, ...state, ...about }
}

/** Asks the sender for the message again, with keys for a new session. */
function requestRetry(network: Network, user: User, incoming: IncomingMessage): void {
  const { sender, id, route } = incoming
  const device = network.users.get(sender.digits)?.devices.get(sender.device)
  const count = (user.retries.get(id) ?? 0) + 1
  if (!device || count > MAX_RETRIES) return
  user.retries.set(id, count)
  const bundle = publishBundle(network, user)
  const times = { t: nowText(network), sentAt: nowText(network) }
  const { registrationId } = bundle
  push(network, device, retryReceipt({ ...route, ...times, id, count, registrationId, keys: keyNodes(bundle) }))
}

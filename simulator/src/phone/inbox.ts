import { proto, unpadRandomMax16 } from 'baileys'
import { behaviourOf } from '../behaviour.ts'
import type { DeviceAddress } from '../jid.ts'
import type { Network, User } from '../network.ts'
import { unixSeconds, userByJid } from '../network.ts'
import { currentOwner } from '../on-behalf.ts'
import { receipt, retryReceipt } from '../server/message-stanzas.ts'
import { push } from '../server/outbox.ts'
import { keyNodes, nowText } from '../server/stanzas.ts'
import type { BinaryNode } from '../wire/node.ts'
import { bytesOf, node } from '../wire/node.ts'
import { isReadable } from './message-text.ts'
import { decryptFrom, decryptGroupMessage, learnSenderKey, publishBundle } from './keys.ts'

/** How a receipt for a message is addressed. */
export interface ReceiptRoute {
  readonly from: string
  readonly participant?: string | undefined
}

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

/** A message that a phone holds, decrypted. */
export interface HeldMessage {
  readonly id: string
  /** The other's digits, or the JID of a group or broadcast. */
  readonly chat: string
  /** Digits of the sender. */
  readonly from: string
  readonly fromMe: boolean
  readonly timestamp: number
  /** When it arrived, in Unix milliseconds. */
  readonly atMs: number
  readonly message: proto.IMessage
  /** Who had it sent. */
  readonly owner?: string
  /** How often it arrived; more than once means that the sender sent it again. */
  copies: number
  read: boolean
  played: boolean
  readonly sender: DeviceAddress
  readonly route: ReceiptRoute
}

interface SavedHeld extends Omit<HeldMessage, 'message'> {
  readonly content: Uint8Array
}

const MAX_RETRIES = 5
let sequence = 0

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

/** A copy of what another device of the same number has sent. */
function holdOwn(network: Network, user: User, incoming: IncomingMessage, message: proto.Message | undefined): void {
  const copy = message?.deviceSentMessage
  if (copy?.message) {
    const chat = userByJid(network, copy.destinationJid ?? undefined)?.digits ?? copy.destinationJid ?? ''
    hold(network, user, { ...heldFrom(incoming, chat, copy.message), fromMe: true, read: true })
  } else if (message && incoming.route.participant !== undefined) {
    hold(network, user, { ...heldFrom(incoming, incoming.to, message), fromMe: true, read: true })
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
  const held = message && hold(network, user, heldFrom(incoming, chat, message))
  network.later(network.timing.deliverDelayMs, () => {
    sendReceipt(network, incoming.sender, incoming.id, incoming.route)
    if (held) scheduleReading(network, user, held)
  })
}

/** Reads the message after a while, if this contact reads at all. */
export function scheduleReading(network: Network, user: User, held: HeldMessage): void {
  if (held.read || held.fromMe || user.devices.size > 0 || behaviourOf(user) !== 'ordinary') return
  network.later(network.timing.readDelayMs, () => {
    if (!user.unreadFrom.has(held.from)) markRead(network, user, held)
  })
}

function heldFrom(incoming: IncomingMessage, chat: string, message: proto.IMessage): HeldMessage {
  const { id, sender, route } = incoming
  const state = { owner: currentOwner(), copies: 1, read: false, played: false, fromMe: false }
  return { id, chat, from: sender.digits, timestamp: unixSeconds(), atMs: Date.now(), message, sender, route, ...state }
}

export function hold(network: Network, user: User, held: HeldMessage): HeldMessage {
  const key = `${held.chat}/${held.from}/${held.id}`
  const known = user.inbox.get(key)
  if (known) {
    known.copies += 1
    saveHeld(network, user, known)
    return known
  }
  user.inbox.set(key, held)
  if (user.inbox.size > network.heldMessages) forgetHeld(network, user, user.inbox.keys().next().value!)
  saveHeld(network, user, held)
  shelve(network, user, key, held)
  return held
}

const storageKeys = new WeakMap<HeldMessage, string>()

function shelve(network: Network, user: User, key: string, held: HeldMessage): void {
  const bytes = proto.Message.encode(held.message).finish().length
  network.shelf.put(held, held.owner ?? '', bytes, () => forgetHeld(network, user, key))
}

export function forgetHeld(network: Network, user: User, key: string): void {
  const held = user.inbox.get(key)
  if (!held) return
  user.inbox.delete(key)
  network.shelf.drop(held)
  const saved = storageKeys.get(held)
  if (saved) network.journal.remove(saved)
}

function saveHeld(network: Network, user: User, held: HeldMessage): void {
  let key = storageKeys.get(held)
  if (key === undefined) {
    sequence += 1
    key = `inbox/${user.digits}/${Date.now()}${String(sequence % 1e6).padStart(6, '0')}`
    storageKeys.set(held, key)
  }
  network.journal.put(key, (): SavedHeld => {
    const { message, ...rest } = held
    return { ...rest, content: proto.Message.encode(message).finish() }
  })
}

/** Puts a saved message back where it was. */
export function restoreHeld(network: Network, user: User, key: string, saved: unknown): void {
  const { content, ...rest } = saved as SavedHeld
  const held = { ...rest, message: proto.Message.decode(content) }
  storageKeys.set(held, key)
  const name = `${held.chat}/${held.from}/${held.id}`
  user.inbox.set(name, held)
  shelve(network, user, name, held)
}

export function sendReceipt(
  network: Network,
  to: DeviceAddress,
  id: string,
  route: ReceiptRoute & { readonly recipient?: string | undefined },
  type?: string,
  moreIds: readonly string[] = [],
): void {
  const device = network.users.get(to.digits)?.devices.get(to.device)
  const list = node(
    'list',
    {},
    moreIds.map(more => node('item', { id: more })),
  )
  const content = moreIds.length > 0 ? [list] : undefined
  if (device) push(network, device, receipt({ ...route, id, t: nowText(), type }, content))
}

export function markRead(network: Network, user: User, held: HeldMessage): void {
  markAllRead(network, user, [held])
}

/** Reads messages together: one receipt tells the sender of all that are in the same chat. */
export function markAllRead(network: Network, user: User, messages: Iterable<HeldMessage>): void {
  const together = new Map<string, HeldMessage[]>()
  for (const held of messages) {
    if (held.read || !isReadable(held.message)) continue
    held.read = true
    saveHeld(network, user, held)
    const key = JSON.stringify([held.sender, held.route])
    together.set(key, [...(together.get(key) ?? []), held])
  }
  for (const [first, ...more] of together.values()) {
    if (!first) continue
    const moreIds = more.map(held => held.id)
    sendReceipt(network, first.sender, first.id, first.route, 'read', moreIds)
  }
  network.changed()
}

export function markPlayed(network: Network, user: User, held: HeldMessage): void {
  if (held.played) return
  held.played = true
  saveHeld(network, user, held)
  sendReceipt(network, held.sender, held.id, held.route, 'played')
  network.changed()
}

const retries = new WeakMap<User, Map<string, number>>()

/** Asks the sender for the message again, with keys for a new session. */
function requestRetry(network: Network, user: User, incoming: IncomingMessage): void {
  const { sender, id, route } = incoming
  const device = network.users.get(sender.digits)?.devices.get(sender.device)
  const counts = retries.get(user) ?? new Map<string, number>()
  retries.set(user, counts)
  const count = (counts.get(id) ?? 0) + 1
  if (!device || count > MAX_RETRIES) return
  counts.set(id, count)
  const bundle = publishBundle(network, user)
  const times = { t: nowText(), sentAt: nowText() }
  const { registrationId } = bundle
  push(network, device, retryReceipt({ ...route, ...times, id, count, registrationId, keys: keyNodes(bundle) }))
}

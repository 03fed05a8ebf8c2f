import { readsAtAll } from '../behaviour.ts'
import { nowText } from '../clock.ts'
import { type DeviceAddress, STATUS } from '../jid.ts'
import { nameOf, saveUser, userByJid } from '../people.ts'
import { receipt } from '../server/message-stanzas.ts'
import { push } from '../server/outbox.ts'
import { stanzaId } from '../server/stanzas.ts'
import { type BinaryNode, node } from '../wire/node.ts'
import type { HeldMessage, ReceiptRoute } from '../world/message.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { saveHeld } from './held.ts'
import { isReadable } from './message-text.ts'
import { tick } from './sent.ts'

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
  const author = userByJid(network, route.participant ?? route.from)
  if (author && network.faults.lostReceipts.has(author.digits)) return
  if (device && route.from === STATUS && route.participant !== undefined && type !== 'sender')
    push(network, device, statusReceipt(network, [id, ...moreIds], route.participant, type))
  else if (device && route.participant !== undefined && network.faults.groupsReceipts)
    push(network, device, groupedReceipt(network, [id, ...moreIds], { ...route, participant: route.participant }, type))
  else if (device) push(network, device, receipt({ ...route, id, t: nowText(network), type }, content))
}

/** The form in which the platform reports receipts of several people; here of one. */
function groupedReceipt(
  network: Network,
  ids: readonly string[],
  route: { readonly from: string; readonly participant: string },
  type: string | undefined,
): BinaryNode {
  const t = nowText(network)
  const user = node('user', { jid: route.participant, t })
  const entries = ids.map(key => node('participants', { key }, [user]))
  return receipt({ from: route.from, id: stanzaId(network), t, type }, entries)
}

/** The form in which the platform reports who has seen a status post: by message, without a participant. */
function statusReceipt(network: Network, ids: readonly string[], participant: string, type = 'delivery'): BinaryNode {
  const t = nowText(network)
  const entries = ids.map(id => node('participants', { message_id: id }, [node('user', { jid: participant, t, type })]))
  return node('receipt', { class: 'status', from: STATUS, id: stanzaId(network), t }, entries)
}

/** Reads messages; one receipt covers all messages of a sender in the same chat. */
export function markAllRead(network: Network, messages: Iterable<HeldMessage>): void {
  const together = new Map<string, HeldMessage[]>()
  for (const held of messages) {
    if (held.read || !isReadable(held.message)) continue
    held.read = true
    saveHeld(network, held)
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

export function markPlayed(network: Network, held: HeldMessage): void {
  if (held.played) return
  held.played = true
  saveHeld(network, held)
  sendReceipt(network, held.sender, held.id, held.route, 'played')
  network.changed()
}

/**
 * The owner of a number reads messages of a person on the phone. The platform tells the author, unless the owner hides when
 * messages of direct chats are read, and the linked devices: a direct chat is named by the person, a group by the reader.
 */
export function readAsOwner(
  network: Network,
  user: User,
  { author, ids, group }: { author: User; ids: readonly string[]; group?: string },
): void {
  const isHidden = group === undefined && user.privacy.get('readreceipts') === 'none'
  if (!isHidden) for (const id of ids) tick(network, author, id, user.digits, 'read')
  const [id = '', ...moreIds] = ids
  const own = nameOf(user, 'lid')
  const route =
    group === undefined ? { from: own, recipient: nameOf(author, 'lid') } : { from: group, participant: own }
  for (const { device } of user.devices.values())
    sendReceipt(network, { digits: user.digits, device }, id, route, isHidden ? 'read-self' : 'read', moreIds)
  network.changed()
}

/** Reads the message after `readDelayMs`, if this contact reads messages. */
export function scheduleReading(network: Network, user: User, held: HeldMessage): void {
  if (held.read || held.fromMe || user.devices.size > 0 || !readsAtAll(user)) return
  network.later(network.timing.readDelayMs, () => {
    if (!user.unreadFrom.has(held.from)) markAllRead(network, [held])
  })
}

/** Decides whether the phone's owner reads what the number writes; turning it on also reads earlier messages. */
export function changeReading(network: Network, user: User, digits: string, reads: boolean): void {
  if (reads) user.unreadFrom.delete(digits)
  else user.unreadFrom.add(digits)
  saveUser(network, user)
  if (!reads) return
  for (const held of user.inbox.values()) if (held.from === digits) scheduleReading(network, user, held)
}

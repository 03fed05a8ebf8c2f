import { isGroupJid } from '../jid.ts'
import { formOf } from '../behaviour.ts'
import { nameOf, saveUser, userByJid, userOf } from '../people.ts'
import { type BinaryNode, children } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { Presence, TypingState, User } from '../world/person.ts'
import { presenceTo, showFace } from './face.ts'
import { groupAddressing } from './group.ts'
import { transmit } from './outbox.ts'
import { chatstate, presence } from './stanzas.ts'

/**
 * A device reports whether it is in use, or subscribes to a contact's presence. Subscriptions last while it is in use.
 */
export function takePresence(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  const { type, name, to } = stanza.attrs
  if (type === 'subscribe') {
    const contact = userByJid(network, to)
    if (!contact || !device.available) return
    device.subscriptions.set(contact.digits, to ?? '')
    transmit(network, device, presence(to ?? '', presenceTo(contact, device.digits)))
    return
  }
  const user = userOf(network, device.digits)
  if (name && name !== user.name) {
    user.name = name
    saveUser(network, user)
  }
  // A presence with only a name changes nothing else.
  if (type === undefined) return
  device.available = type === 'available'
  if (!device.available) device.subscriptions.clear()
  network.changed()
}

function* linkedDevices(network: Network): Iterable<LinkedDevice> {
  for (const user of network.users.values()) yield* user.devices.values()
}

/** Changes a contact's presence, for all or for one number, and notifies subscribed devices that are in use. */
export function changePresence(network: Network, contact: User, state: Presence, to?: string): void {
  if (to === undefined) contact.presence = state
  else showFace(network, contact, to, { presence: state })
  for (const device of linkedDevices(network)) {
    if (to !== undefined && device.digits !== to) continue
    const jid = device.subscriptions.get(contact.digits)
    if (device.online && device.available && jid !== undefined) transmit(network, device, presence(jid, state))
  }
}

/** Shows the devices of a number that are in use that a contact is typing. Other devices never learn it. */
export function showTyping(
  network: Network,
  contact: User,
  to: User,
  chat: string | undefined,
  state: TypingState,
): void {
  const name = nameOf(contact, chat === undefined ? formOf(contact) : groupAddressing(network, chat))
  for (const device of to.devices.values()) {
    if (!device.online || !device.available || isBlocked(chat, contact, to)) continue
    transmit(network, device, chatstate(chat ?? name, chat === undefined ? undefined : name, state))
  }
}

/** In groups, also people who are blocked are heard. */
const isBlocked = (chat: string | undefined, contact: User, by: User): boolean =>
  chat === undefined && by.blocked.has(contact.digits)

/** Records on a contact's phone whether a number that is in use is typing. Current clients send no `from`. */
export function takeChatstate(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  if (stanza.attrs.from !== undefined || !device.available) return
  const [shown] = children(stanza)
  const contact = isGroupJid(stanza.attrs.to) ? undefined : userByJid(network, stanza.attrs.to)
  if (!contact || !shown) return
  const state = shown.tag === 'paused' ? 'paused' : shown.attrs.media === 'audio' ? 'recording' : 'composing'
  contact.typingSeen.set(device.digits, state)
}

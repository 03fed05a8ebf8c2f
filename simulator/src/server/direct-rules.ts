import { behaviourOf, hasLid, isHidden } from '../behaviour.ts'
import { type Addressing, numberJid, parseJid, SERVER } from '../jid.ts'
import { type BinaryNode, child, children } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { hasValidToken } from './tokens.ts'

const BAD_REQUEST = 400
const REFUSED = 463

/** The error for a direct message that addresses people in a wrong way, if any. */
export function addressError(
  network: Network,
  device: LinkedDevice,
  stanza: BinaryNode,
  recipient: User,
): number | undefined {
  const { to, category, peer_recipient_pn: phone } = stanza.attrs
  if (category === 'peer') return undefined
  const form = formOf(to)
  const named = children(child(stanza, 'participants'), 'to')
  if (form === undefined || named.some(({ attrs }) => formOf(attrs.jid) !== form)) return BAD_REQUEST
  if (phone !== undefined && (form !== 'lid' || !isPhoneOf(recipient, phone))) return BAD_REQUEST
  if (form !== wantedForm(network, device, recipient)) return REFUSED
  if (isMoved(stanza, recipient) && recipient.notifiedOfMove.has(device.digits)) return REFUSED
  return behaviourOf(recipient) === 'wary' && !hasValidToken(network, device, stanza, recipient) ? REFUSED : undefined
}

/** Attributes of the ack for the first message to an outdated hidden identifier. */
export function moveNotice(device: LinkedDevice, stanza: BinaryNode, recipient: User | undefined) {
  if (!recipient || !isMoved(stanza, recipient)) return {}
  recipient.notifiedOfMove.add(device.digits)
  return { refresh_lid: 'true' }
}

/** Whether it names a hidden identifier that the recipient no longer has. */
export function isMoved({ attrs }: BinaryNode, recipient: User): boolean {
  return formOf(attrs.to) === 'lid' && parseJid(attrs.to)?.user !== recipient.lid
}

/** Direct chats use the hidden identifier if there is one. A few numbers reportedly must use phone numbers. */
function wantedForm(network: Network, device: LinkedDevice, recipient: User): Addressing {
  return hasLid(recipient) && !network.faults.writesByNumber.has(device.digits) ? 'lid' : 'pn'
}

function isPhoneOf(recipient: User, phone: string): boolean {
  return !isHidden(recipient) && phone === numberJid(recipient.digits)
}

function formOf(jid: string | undefined): Addressing | undefined {
  const server = parseJid(jid)?.server
  if (server === 'lid' || server === 'hosted.lid') return 'lid'
  return server === SERVER || server === 'hosted' ? 'pn' : undefined
}

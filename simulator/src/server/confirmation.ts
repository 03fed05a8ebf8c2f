import { isBroadcastJid, isChannelJid, isGroupJid, STATUS } from '../jid.ts'
import { type BinaryNode, child } from '../wire/node.ts'

/** Receipts that say no more than that a device has a message. */
const DELIVERED: ReadonlySet<string | undefined> = new Set([undefined, 'inactive'])

/**
 * Whether this `<ack>` or `<receipt>` is what the server is owed for a stanza. Nothing but the exact shape is: what was
 * answered in another one comes again. `isOwn` tells whether a JID names the device's own number.
 */
export function confirms(stanza: BinaryNode, answer: BinaryNode, isOwn: (jid: string) => boolean): boolean {
  const { from, participant } = stanza.attrs
  if (answer.attrs.to !== from || answer.attrs.participant !== participant) return false
  return answer.tag === 'receipt' ? receiptConfirms(stanza, answer, isOwn) : ackConfirms(stanza, answer)
}

/** A copy of what another device of the same number has sent to somebody. */
function isOwnCopy({ attrs }: BinaryNode): boolean {
  return attrs.recipient !== undefined && !isGroupJid(attrs.from) && !isBroadcastJid(attrs.from)
}

/** A message that somebody could read; of all else no receipt is expected. */
function isEncrypted(stanza: BinaryNode): boolean {
  const isMessage = stanza.tag === 'message' || (stanza.tag === 'status' && stanza.attrs.from === STATUS)
  return isMessage && !isChannelJid(stanza.attrs.from) && child(stanza, 'enc') !== undefined
}

function receiptConfirms(stanza: BinaryNode, { attrs }: BinaryNode, isOwn: (jid: string) => boolean): boolean {
  if (!isEncrypted(stanza)) return false
  const { from = '', participant, recipient, category } = stanza.attrs
  if (category === 'peer') return attrs.type === 'peer_msg' && attrs.recipient === undefined
  if (isOwnCopy(stanza)) return attrs.type === 'sender' && attrs.recipient === recipient?.replace(/:\d+@/, '@')
  return DELIVERED.has(attrs.type) || (attrs.type === 'sender' && isOwn(participant ?? from))
}

function ackConfirms(stanza: BinaryNode, { attrs }: BinaryNode): boolean {
  const { type, recipient, from } = stanza.attrs
  if (attrs.class !== stanza.tag || attrs.recipient !== recipient) return false
  // Clients disagree on whether the ack of a message names its type, and that of a new identity.
  const mayOmitType = stanza.tag === 'message' || child(stanza, 'identity') !== undefined
  if (attrs.type !== type && !(mayOmitType && attrs.type === undefined)) return false
  // A status that is refused stays where it is.
  if (attrs.error !== undefined && from === STATUS) return false
  // Of an own copy only its receipt is taken, unless nobody could read it.
  return !isEncrypted(stanza) || !isOwnCopy(stanza) || attrs.error !== undefined
}

import { isBroadcastJid, isChannelJid, isGroupJid, STATUS } from '../jid.ts'
import { type BinaryNode, child } from '../wire/node.ts'

/** Receipts that mean only that a device has a message. */
const DELIVERED: ReadonlySet<string | undefined> = new Set([undefined, 'inactive'])

/**
 * Whether this `<ack>` or `<receipt>` confirms a stanza. Only the exact form does; after any other the server sends the
 * stanza again. `isOwn` decides whether a JID names the device's own number.
 */
export function confirms(stanza: BinaryNode, answer: BinaryNode, isOwn: (jid: string) => boolean): boolean {
  const { from, participant } = stanza.attrs
  if (answer.attrs.to !== from || answer.attrs.participant !== participant) return false
  return answer.tag === 'receipt' ? receiptConfirms(stanza, answer, isOwn) : ackConfirms(stanza, answer)
}

/** A copy of a message that another device of the same number has sent. */
function isOwnCopy({ attrs }: BinaryNode): boolean {
  return attrs.recipient !== undefined && !isGroupJid(attrs.from) && !isBroadcastJid(attrs.from)
}

/** An encrypted message; for everything else the server expects no receipt. */
function isEncrypted(stanza: BinaryNode): boolean {
  const isMessage = stanza.tag === 'message' || (stanza.tag === 'status' && stanza.attrs.from === STATUS)
  return isMessage && !isChannelJid(stanza.attrs.from) && child(stanza, 'enc') !== undefined
}

/** Data of the number's own phone, which needs a receipt. */
const isAppData = ({ tag, attrs }: BinaryNode): boolean => tag === 'appdata' && attrs.category === 'peer'

function receiptConfirms(stanza: BinaryNode, { attrs }: BinaryNode, isOwn: (jid: string) => boolean): boolean {
  if (isAppData(stanza)) return attrs.category === 'peer_appdata' && attrs.type === undefined
  if (!isEncrypted(stanza)) return false
  const { from = '', participant, recipient, category } = stanza.attrs
  if (category === 'peer') return attrs.type === 'peer_msg' && attrs.recipient === undefined
  if (isOwnCopy(stanza)) return attrs.type === 'sender' && attrs.recipient === recipient?.replace(/:\d+@/, '@')
  return DELIVERED.has(attrs.type) || (attrs.type === 'sender' && isOwn(participant ?? from))
}

function ackConfirms(stanza: BinaryNode, { attrs }: BinaryNode): boolean {
  const { type, recipient, from } = stanza.attrs
  if (attrs.class !== stanza.tag || attrs.recipient !== recipient || isAppData(stanza)) return false
  // Clients differ in whether the ack of a message, or of a new identity, names its type.
  const mayOmitType = stanza.tag === 'message' || child(stanza, 'identity') !== undefined
  if (attrs.type !== type && !(mayOmitType && attrs.type === undefined)) return false
  // A rejected status stays in the queue.
  if (attrs.error !== undefined && from === STATUS) return false
  // An own copy needs a receipt, unless it was unreadable.
  return !isEncrypted(stanza) || !isOwnCopy(stanza) || attrs.error !== undefined
}

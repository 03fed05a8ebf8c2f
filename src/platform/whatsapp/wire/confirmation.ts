import { type BinaryNode, getBinaryNodeChild, isJidNewsletter } from 'baileys'
import { withoutDevice } from '../../../domain/jid.ts'

/**
 * The confirmation that the platform expects for a received message. In any other form the platform redelivers the
 * message, and finally ends the link. `isOwn`: another device of the same number sent it. `isOnline`: the sender sees the
 * message as delivered; otherwise only the phone of the number decides that.
 */
export function confirmationOf(stanza: BinaryNode, isOwn: boolean, isOnline: boolean): BinaryNode {
  return hasReceipt(stanza) ? receiptOf(stanza, isOwn, isOnline) : ackOf(stanza)
}

/**
 * Channel posts, messages without content and withheld ones are not decrypted, so they get an ack instead of a receipt.
 */
export function hasReceipt(stanza: BinaryNode): boolean {
  return isJidNewsletter(stanza.attrs.from) !== true && getBinaryNodeChild(stanza, 'enc') !== undefined
}

export function ackOf({ tag, attrs }: BinaryNode): BinaryNode {
  const { from: to, id, participant, recipient, type } = attrs
  return { tag: 'ack', attrs: given({ class: tag, id, to, participant, recipient, type }) }
}

/** Addressed to the sending device; only for a copy of the number's own message it also names the recipient. */
export function receiptOf({ attrs }: BinaryNode, isOwn: boolean, isOnline: boolean): BinaryNode {
  const { from: to, id, participant, recipient, category } = attrs
  const isPeer = category === 'peer'
  const type = isPeer ? 'peer_msg' : isOwn ? 'sender' : isOnline ? undefined : 'inactive'
  const copiedTo = isOwn && !isPeer && recipient !== undefined ? withoutDevice(recipient) : undefined
  return { tag: 'receipt', attrs: given({ id, to, participant, type, recipient: copiedTo }) }
}

/** The attributes that are defined. */
export function given(attrs: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(attrs).filter((pair): pair is [string, string] => pair[1] !== undefined))
}

import { type BinaryNode, getBinaryNodeChild, isJidNewsletter } from 'baileys'
import { withoutDevice } from '../../../domain/jid.ts'

/**
 * What the platform is owed for a received message, in the exact shape: in any other one the message comes again, and
 * in the end the link is cut over it. `isOwn`: another device of the same number wrote it.
 */
export function confirmationOf(stanza: BinaryNode, isOwn: boolean): BinaryNode {
  return hasReceipt(stanza) ? receiptOf(stanza, isOwn) : ackOf(stanza)
}

/** Nothing was decrypted of a post, a message without content, or one that the platform itself withholds. */
export function hasReceipt(stanza: BinaryNode): boolean {
  return isJidNewsletter(stanza.attrs.from) !== true && getBinaryNodeChild(stanza, 'enc') !== undefined
}

export function ackOf({ tag, attrs }: BinaryNode): BinaryNode {
  const { from: to, id, participant, recipient, type } = attrs
  return { tag: 'ack', attrs: given({ class: tag, id, to, participant, recipient, type }) }
}

/** It goes to the device that wrote; only of a copy of an own message it also tells where that went. */
export function receiptOf({ attrs }: BinaryNode, isOwn: boolean): BinaryNode {
  const { from: to, id, participant, recipient, category } = attrs
  const isPeer = category === 'peer'
  const type = isPeer ? 'peer_msg' : isOwn ? 'sender' : undefined
  const copiedTo = isOwn && !isPeer && recipient !== undefined ? withoutDevice(recipient) : undefined
  return { tag: 'receipt', attrs: given({ id, to, participant, type, recipient: copiedTo }) }
}

/** Without what is not there. */
export function given(attrs: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(attrs).filter((pair): pair is [string, string] => pair[1] !== undefined))
}

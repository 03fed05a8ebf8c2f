import { type BinaryNode, isLidUser, isPnUser, type WASocket } from 'baileys'
import { isOwn, ownLid } from '../wire/own-names.ts'

/**
 * A copy of what another device of the number has sent, as the library may see it: of the other names in it the library
 * believes that they are the recipient's, and where there is no hidden one it confirms the copy to nobody.
 */
export function nameableCopy({ authState }: Pick<WASocket, 'authState'>, stanza: BinaryNode): BinaryNode {
  const { recipient = '', from = '', category } = stanza.attrs
  if (category === 'peer' || !isOwn(authState.creds, from)) return stanza
  const { sender_pn: _phone, sender_lid: _lid, ...attrs } = stanza.attrs
  const hasHiddenName = isLidUser(recipient) === true || isLidUser(attrs.peer_recipient_lid) === true
  const lid = ownLid(authState.creds)
  if (hasHiddenName || isPnUser(from) !== true || lid === undefined) return { ...stanza, attrs }
  // The library knows which number this one is of: it learns nothing from it.
  return { ...stanza, attrs: { ...attrs, addressing_mode: 'pn', sender_lid: lid } }
}

/**
 * Only a copy of what the number itself has sent tells whom it was for: in a message of somebody else the library takes
 * that for another name of the sender.
 */
export function withoutRecipientNames({ authState }: Pick<WASocket, 'authState'>, stanza: BinaryNode): BinaryNode {
  const { peer_recipient_pn: phone, peer_recipient_lid: lid, ...attrs } = stanza.attrs
  if (phone === undefined && lid === undefined) return stanza
  return isOwn(authState.creds, attrs.participant ?? attrs.from ?? '') ? stanza : { ...stanza, attrs }
}

import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import { isPerson, jidKind } from '../../../domain/jid.ts'

/** Whether a notification announces a change of one group. */
export const isGroupChange = ({ attrs }: BinaryNode): boolean =>
  (attrs.type === 'w:gp2' || attrs.type === 'picture') && jidKind(attrs.from ?? '') === 'group'

/** Whether a notification announces that a person, or the number itself, has another picture, about or number. */
export function isContactChange(stanza: BinaryNode): boolean {
  const { type, from } = stanza.attrs
  if (!isPerson(from)) return false
  if (type === 'contacts') return getBinaryNodeChild(stanza, 'modify') !== undefined
  if (type === 'account_sync') return ownPartIn(stanza) !== undefined
  return type === 'picture' || type === 'status'
}

/** What the owner has changed on the phone: the platform says only that it was changed. */
export const ownPartIn = (stanza: BinaryNode): BinaryNode | undefined =>
  getBinaryNodeChild(stanza, 'picture') ?? getBinaryNodeChild(stanza, 'status')

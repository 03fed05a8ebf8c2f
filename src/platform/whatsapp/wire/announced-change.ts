import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import { isPerson, jidKind } from '../../../domain/jid.ts'

/** Whether a notification announces a change of one group. */
export const isGroupChange = ({ attrs }: BinaryNode): boolean =>
  (attrs.type === 'w:gp2' || attrs.type === 'picture') && jidKind(attrs.from ?? '') === 'group'

/** Whether a notification announces that a person has another picture, about or number. */
export function isContactChange(stanza: BinaryNode): boolean {
  const { type, from } = stanza.attrs
  if (!isPerson(from)) return false
  if (type === 'contacts') return getBinaryNodeChild(stanza, 'modify') !== undefined
  return type === 'picture' || type === 'status'
}

import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import { isPerson } from '../../../domain/jid.ts'

/** Whether a notification announces that a person has another picture, about or number. */
export function isContactChange(stanza: BinaryNode): boolean {
  const { type, from } = stanza.attrs
  if (!isPerson(from)) return false
  if (type === 'contacts') return getBinaryNodeChild(stanza, 'modify') !== undefined
  return type === 'picture' || type === 'status'
}

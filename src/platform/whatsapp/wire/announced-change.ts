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

/** Operations of notifications about channels that the number follows or manages. */
const CHANNEL_OPERATIONS: ReadonlySet<string | undefined> = new Set([
  'NotificationNewsletterJoin',
  'NotificationNewsletterLeave',
  'NotificationNewsletterUpdate',
  'NotificationNewsletterStateChange',
])

/** Whether a notification announces a change of a channel, as JSON. */
export const isChannelChange = (stanza: BinaryNode): boolean =>
  stanza.attrs.type === 'mex' && CHANNEL_OPERATIONS.has(getBinaryNodeChild(stanza, 'update')?.attrs.op_name)

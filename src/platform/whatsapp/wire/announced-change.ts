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

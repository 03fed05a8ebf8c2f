import type { BinaryNode } from 'baileys'
import { jidKind } from '../../../domain/jid.ts'

/** Whether a notification announces a change of one group. */
export const isGroupChange = ({ attrs }: BinaryNode): boolean =>
  (attrs.type === 'w:gp2' || attrs.type === 'picture') && jidKind(attrs.from ?? '') === 'group'

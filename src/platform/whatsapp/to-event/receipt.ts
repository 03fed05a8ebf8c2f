import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from 'baileys'
import { isPerson, jidKind, withoutDevice } from '../../../domain/jid.ts'
import { lookUp } from '../../../domain/look-up.ts'
import type { Interpretation, PlatformReceipt } from '../../platform.ts'
import type { SessionContext } from '../session-context.ts'
import { receiptLabel } from '../wire/labels.ts'
import { unixSeconds } from '../wire/numbers.ts'
import { phoneInGroup } from './people.ts'

const TYPES: Record<string, PlatformReceipt['type']> = { '': 'delivered', read: 'read', played: 'played' }

/** What became of messages: several ids in one stanza, each recipient of a group for himself. */
export async function interpretReceipt(
  context: SessionContext,
  stanza: BinaryNode,
  receivedAtMs: number,
): Promise<Interpretation> {
  const { from = '', participant, id = '', t, type = '' } = stanza.attrs
  const receiptType = lookUp(TYPES, type)
  if (!receiptType) return { kind: 'none', reason: receiptLabel(type) }
  const wire = participant ?? from
  if (!isPerson(wire)) return { kind: 'none', reason: 'receipt_of_nobody' }
  const inGroup = jidKind(from) === 'group' && (await context.lids.phoneOf(wire)) === undefined
  const recipient =
    (inGroup ? await phoneInGroup(context, from, wire) : undefined) ?? (await context.lids.phoneFirst(wire))
  if (recipient === context.sessionId) return { kind: 'none', reason: 'receipt_of_own_device' }
  const list = getBinaryNodeChild(stanza, 'list')
  const platformIds = [id, ...getBinaryNodeChildren(list, 'item').map(item => item.attrs.id ?? '')].filter(Boolean)
  const isShared = jidKind(from) === 'group' || jidKind(from) === 'status'
  const chatJid = isShared ? withoutDevice(from) : recipient
  const seconds = unixSeconds(t)
  const atMs = seconds === undefined ? receivedAtMs : seconds * 1000
  return { kind: 'receipts', receipts: [{ platformIds, chatJid, recipientJid: recipient, type: receiptType, atMs }] }
}

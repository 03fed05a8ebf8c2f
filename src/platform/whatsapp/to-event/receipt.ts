import type { BinaryNode } from 'baileys'
import { isPerson, jidKind, withoutDevice } from '../../../domain/jid.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import type { Interpretation, PlatformReceipt } from '../../platform.ts'
import type { SessionContext } from '../session-context.ts'
import { receiptLabel } from '../wire/labels.ts'
import { unixSeconds } from '../wire/numbers.ts'
import { phoneInGroup } from './people.ts'
import { type ToldReceipt, toldReceipts } from './told-receipts.ts'

const TYPES: Record<string, PlatformReceipt['type']> = { '': 'delivered', read: 'read', played: 'played' }

/** What became of messages: several ids in one stanza, each recipient of a group for himself. */
export async function interpretReceipt(
  context: SessionContext,
  stanza: BinaryNode,
  receivedAtMs: number,
): Promise<Interpretation> {
  const receipts: PlatformReceipt[] = []
  let reason = 'receipt_of_nobody'
  for (const told of toldReceipts(stanza)) {
    const receipt = await receiptOf(context, stanza.attrs.from ?? '', told, receivedAtMs)
    if (typeof receipt === 'string') reason = receipt
    else receipts.push(receipt)
  }
  return receipts.length > 0 ? { kind: 'receipts', receipts } : { kind: 'none', reason }
}

/** Or why it tells nothing. */
async function receiptOf(
  context: SessionContext,
  from: string,
  { who, platformIds, type, t }: ToldReceipt,
  receivedAtMs: number,
): Promise<PlatformReceipt | string> {
  const receiptType = getOwn(TYPES, type)
  if (!receiptType) return receiptLabel(type)
  if (!isPerson(who)) return 'receipt_of_nobody'
  const inGroup = jidKind(from) === 'group' && (await context.lids.phoneOf(who)) === undefined
  const recipient =
    (inGroup ? await phoneInGroup(context, from, who) : undefined) ?? (await context.lids.phoneFirst(who))
  if (recipient === context.sessionId) return 'receipt_of_own_device'
  const isShared = jidKind(from) === 'group' || jidKind(from) === 'status'
  const chatJid = isShared ? withoutDevice(from) : recipient
  const seconds = unixSeconds(t)
  const atMs = seconds === undefined ? receivedAtMs : seconds * 1000
  return { platformIds, chatJid, recipientJid: recipient, type: receiptType, atMs }
}

import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from 'baileys'
import { isPerson, jidKind, withoutDevice } from '../../../domain/jid.ts'
import { getOwn } from '../../../runtime/get-own.ts'
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

/** More people than any group has. */
const MAX_TOLD = 4_096

/** That one person has got, read or played some messages, as a stanza tells it. */
interface ToldReceipt {
  who: string
  platformIds: string[]
  type: string
  t: string | undefined
}

/** Of chats with many people the platform tells of several together: by message, and in each of who and when. */
export function toldReceipts(stanza: BinaryNode): ToldReceipt[] {
  const { from = '', participant, id = '', t, type = '' } = stanza.attrs
  const together = participant === undefined ? getBinaryNodeChildren(stanza, 'participants') : []
  if (together.length > 0) return together.flatMap(message => ofMessage(stanza, message)).slice(0, MAX_TOLD)
  const more = getBinaryNodeChildren(getBinaryNodeChild(stanza, 'list'), 'item').map(({ attrs }) => attrs.id ?? '')
  return [{ who: participant ?? from, platformIds: [id, ...more].filter(Boolean), type, t }]
}

function ofMessage({ attrs }: BinaryNode, message: BinaryNode): ToldReceipt[] {
  const id = message.attrs.key ?? message.attrs.message_id ?? attrs.id ?? ''
  return getBinaryNodeChildren(message, 'user').map(user => ({
    who: user.attrs.jid ?? '',
    platformIds: id === '' ? [] : [id],
    type: user.attrs.type ?? attrs.type ?? '',
    t: user.attrs.t ?? attrs.t,
  }))
}

import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from 'baileys'
import type { ChatEvent } from '../../../domain/event.ts'
import { isPerson, jidKind, withoutDevice } from '../../../domain/jid.ts'
import type { Interpretation, PlatformReceipt } from '../../platform.ts'
import { readingOf } from '../remembered/chat-activity.ts'
import type { SessionContext } from '../session-context.ts'
import { receiptLabel } from '../wire/labels.ts'
import { unixSeconds } from '../wire/numbers.ts'
import { receiptTypeOf } from '../wire/receipt-types.ts'
import { isInChat, phoneInGroup } from './people.ts'

/** Anyone who knows the id of a message can report it: only its recipients are believed. */
const RECEIPT_OF_OTHER = 'receipt_of_other'

/** A stanza may report several messages, and several recipients of a group. */
export async function interpretReceipt(
  context: SessionContext,
  stanza: BinaryNode,
  receivedAtMs: number,
): Promise<Interpretation> {
  // A device that cannot show the message reports it like this.
  if (getBinaryNodeChild(stanza, 'error')) return { kind: 'none', reason: 'receipt_of_failure' }
  const { from, participant, sender_pn: phone } = stanza.attrs
  if (participant === undefined) await context.lids.remember(from, phone, 'receipt')
  const receipts: PlatformReceipt[] = []
  let reason = 'receipt_of_nobody'
  const reading = await ownReading(context, stanza, receivedAtMs)
  if (reading) return reading
  for (const reported of reportedReceipts(stanza)) {
    const receipt = await receiptOf(context, from ?? '', reported, receivedAtMs)
    if (typeof receipt === 'string') reason = receipt
    else receipts.push(receipt)
  }
  return receipts.length > 0 ? { kind: 'receipts', receipts } : { kind: 'none', reason }
}

const OWN_READING = new Set(['read', 'read-self'])

/** Another device of the number has read messages of a chat. */
async function ownReading(
  context: SessionContext,
  stanza: BinaryNode,
  receivedAtMs: number,
): Promise<Interpretation | undefined> {
  const { from = '', participant, recipient, type = '', t } = stanza.attrs
  if (!OWN_READING.has(type)) return undefined
  const names = await context.lids.namesOf(participant ?? from)
  if (!names.includes(context.sessionId)) return undefined
  const chat = participant === undefined ? recipient : from
  if (chat === undefined) return undefined
  const jid = await context.lids.phoneFirst(chat)
  const readAt = unixSeconds(t) ?? Math.floor(receivedAtMs / 1_000)
  const chats = readingOf(context, jid, readAt * 1_000)
  const reading = chats === undefined ? {} : { chats }
  const isWanted = (await context.storage.isIncluded('own')) || (await context.storage.isIncluded('chat'))
  if (!isWanted || jidKind(jid) === 'status') return { kind: 'none', reason: 'receipt_of_own_device', ...reading }
  const read: ChatEvent = {
    kind: 'chat',
    session_id: context.sessionId,
    chat_jid: jid,
    action: 'read',
    read: true,
    message_ids: reportedReceipts(stanza).flatMap(({ platformIds }) => platformIds),
    timestamp_unix: readAt,
  }
  return { kind: 'events', events: [read], forEndpoints: { alsoFor: 'own' }, ...reading }
}

/** The receipt of a direct chat, if all names of the person are in memory. */
export function interpretReceiptNow(
  { lids, sessionId }: Pick<SessionContext, 'lids' | 'sessionId'>,
  stanza: BinaryNode,
  receivedAtMs: number,
): Interpretation | undefined {
  const { from = '', participant, sender_pn: phone } = stanza.attrs
  const isDirect = participant === undefined && isPerson(from)
  if (!isDirect || SPECIAL.some(tag => getBinaryNodeChild(stanza, tag))) return undefined
  const names = lids.namesInMemory(from)
  if (names === undefined || names.includes(sessionId)) return undefined
  if (phone !== undefined && !names.includes(withoutDevice(phone))) return undefined
  const [reported] = reportedReceipts(stanza)
  const type = receiptTypeOf(reported?.type)
  if (reported === undefined || type === undefined) return undefined
  const seconds = unixSeconds(reported.t)
  const atMs = seconds === undefined ? receivedAtMs : seconds * 1000
  const { platformIds } = reported
  return {
    kind: 'receipts',
    receipts: [{ platformIds, chatNames: names, recipientJid: phoneFirst(names), type, atMs }],
  }
}

/** Parts of receipts that need more than the names of a person. */
const SPECIAL = ['error', 'participants']

/** Returns the receipt, or the reason why there is none. */
async function receiptOf(
  context: SessionContext,
  from: string,
  { who, platformIds, type, t }: ReportedReceipt,
  receivedAtMs: number,
): Promise<PlatformReceipt | string> {
  const receiptType = receiptTypeOf(type)
  if (!receiptType) return receiptLabel(type)
  if (!isPerson(who)) return 'receipt_of_nobody'
  const chat = withoutDevice(from)
  const hasMembers = jidKind(chat) === 'group' || jidKind(chat) === 'status'
  if (jidKind(chat) === 'group' && (await context.lids.phoneOf(who)) === undefined)
    await phoneInGroup(context, chat, who)
  const names = await context.lids.namesOf(who)
  if (names.includes(context.sessionId)) return 'receipt_of_own_device'
  const chatNames = hasMembers ? [chat] : who === from ? names : await context.lids.namesOf(from)
  // A true receipt must not be lost because the platform does not answer who the members are.
  const isRecipient = hasMembers
    ? await isInChat(context, chat, names, { ifUnknown: true })
    : chatNames.some(name => names.includes(name))
  if (!isRecipient) return RECEIPT_OF_OTHER
  const seconds = unixSeconds(t)
  const atMs = seconds === undefined ? receivedAtMs : seconds * 1000
  return { platformIds, chatNames, recipientJid: phoneFirst(names), type: receiptType, atMs }
}

const phoneFirst = (names: readonly string[]): string => names.find(name => jidKind(name) === 'user') ?? names[0]!

/** More people than any group has. */
const MAX_REPORTED = 4_096

/** One person received, read or played some messages. */
interface ReportedReceipt {
  who: string
  platformIds: string[]
  type: string
  t: string | undefined
}

/** For chats with many people the platform combines receipts: by message, each with recipients and times. */
export function reportedReceipts(stanza: BinaryNode): ReportedReceipt[] {
  const { from = '', participant, id = '', t, type = '' } = stanza.attrs
  const combined = participant === undefined ? getBinaryNodeChildren(stanza, 'participants') : []
  if (combined.length > 0) return combined.flatMap(message => ofMessage(stanza, message)).slice(0, MAX_REPORTED)
  const more = getBinaryNodeChildren(getBinaryNodeChild(stanza, 'list'), 'item').map(({ attrs }) => attrs.id ?? '')
  return [{ who: participant ?? from, platformIds: [id, ...more].filter(Boolean), type, t }]
}

function ofMessage({ attrs }: BinaryNode, message: BinaryNode): ReportedReceipt[] {
  const id = message.attrs.key ?? message.attrs.message_id ?? attrs.id ?? ''
  return getBinaryNodeChildren(message, 'user').map(user => ({
    who: user.attrs.jid ?? '',
    platformIds: id === '' ? [] : [id],
    type: user.attrs.type ?? attrs.type ?? '',
    t: user.attrs.t ?? attrs.t,
  }))
}

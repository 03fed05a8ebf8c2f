import { normalizeMessageContent, proto } from 'baileys'
import type { WaitingHistory } from '../../../domain/history.ts'
import { withoutDevice } from '../../../domain/jid.ts'
import type { HistoricMessage, Interpretation } from '../../platform.ts'
import { whenOpen } from '../link/when-open.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import { contentReason } from '../received/silent-messages.ts'
import type { SessionContext } from '../session-context.ts'
import { isAnswered, readContent } from '../to-event/content.ts'
import { readMessageContext } from '../to-event/context.ts'
import { frame } from '../to-event/frame.ts'
import { mediaPart } from '../to-event/media-part.ts'
import { isMe, namesOf, seenIn } from '../to-event/names.ts'
import { peopleOf } from '../to-event/people.ts'
import { quotedFields } from '../to-event/quoted.ts'
import { keepFile } from '../to-event/received-file.ts'
import { sealedContentOf } from '../to-event/sealed-content.ts'
import { secondsOr } from '../wire/numbers.ts'
import { notLoaded, readHistory } from './learn-history.ts'

type Notification = proto.Message.IHistorySyncNotification
type History = Extract<Interpretation, { kind: 'history' }>

const { ON_DEMAND } = proto.HistorySync.HistorySyncType
const { COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY: NO_MORE } = proto.Conversation.EndOfHistoryTransferType

/** A part has at most 500 messages, each with a thumbnail at most. */
const MAX_BYTES = 32 * 1024 * 1024
const SECRET_BYTES = 32
const WHOLE = 100

/** The request that a part of a history answers; `undefined` if no customer has requested it, or none waits for it now. */
export async function requestOf(
  { storage }: Pick<SessionContext, 'storage'>,
  { syncType, peerDataRequestSessionId: id }: Notification,
): Promise<WaitingHistory | undefined> {
  return syncType === ON_DEMAND && id ? await storage.findHistory?.(id) : undefined
}

/** Reads a part of what a customer has asked the phone for. One commit publishes its messages and records the progress. */
export async function interpretRequestedHistory(
  context: SessionContext,
  notification: Notification,
  job: WaitingHistory,
  signal: AbortSignal,
): Promise<History> {
  if (!(await whenOpen(context, signal)) && !context.link.isOver?.()) throw notLoaded()
  const history = await readHistory(context, notification, signal, () => new WholeHistory())
  if (!history) return { kind: 'history', messages: [], progress: progressOf(job, 'failed', 0, null) }
  const names = await namesOf(context, [job.chatJid])
  const chats = (history.conversations ?? []).filter(({ id }) => id && names.has(withoutDevice(id)))
  const isIncluded = await context.storage.isIncluded('history')
  const messages = isIncluded ? await messagesIn(context, chats, job) : []
  const isOver = (notification.progress ?? WHOLE) >= WHOLE || messages.length >= job.left
  const end = chats.map(({ endOfHistoryTransferType: type }) => type).find(type => type !== null && type !== undefined)
  const hasMore = end === undefined || end === null ? null : end !== NO_MORE
  const progress = progressOf(job, isOver ? 'done' : 'receiving', messages.length, isOver ? hasMore : null)
  return { kind: 'history', messages, progress }
}

const progressOf = (
  { id: jobId }: WaitingHistory,
  state: History['progress']['state'],
  found: number,
  hasMore: boolean | null,
): History['progress'] => ({ jobId, found, state, hasMore })

/** On-demand parts are small, so they are decoded as a whole. */
class WholeHistory {
  readonly #chunks: Uint8Array[] = []
  #bytes = 0

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    if (this.#bytes > MAX_BYTES) throw new Error('the history is too large')
    this.#chunks.push(chunk)
  }

  end(): proto.IHistorySync {
    return proto.HistorySync.decode(Buffer.concat(this.#chunks))
  }
}

/** The messages that no event has been published for, the oldest first. */
async function messagesIn(
  context: SessionContext,
  chats: readonly proto.IConversation[],
  { left }: WaitingHistory,
): Promise<HistoricMessage[]> {
  const found = new Map<string, HistoricMessage>()
  for (const { id: chat, messages, pnJid, lidJid } of chats) {
    await context.lids.remember(withoutDevice(chat ?? ''), pnJid ?? lidJid ?? undefined, 'history')
    for (const { message } of [...(messages ?? [])].reverse()) {
      const id = message?.key?.id
      if (!message || !id || found.has(id) || found.size >= left) continue
      const historic = await newHistoric(context, chat ?? '', message)
      if (historic) found.set(id, historic)
    }
  }
  return [...found.values()]
}

/** `undefined` if it is no message that people see, or an event has been published for it. */
export async function newHistoric(
  context: SessionContext,
  chat: string,
  message: proto.IWebMessageInfo,
): Promise<HistoricMessage | undefined> {
  const stored = storedOf(chat, message)
  if (!stored || (await seenIn(context, stored.key.remoteJid, stored.key.id))) return undefined
  return await historicOf(context, stored)
}

function storedOf(
  chat: string,
  { key, message, messageTimestamp, participant, pushName }: proto.IWebMessageInfo,
): StoredMessage | undefined {
  const content = normalizeMessageContent(message)
  const isAbout =
    content?.protocolMessage ??
    content?.reactionMessage ??
    content?.pollUpdateMessage ??
    content?.encEventResponseMessage
  if (!key?.id || !message || contentReason(content) !== undefined || isAbout) return undefined
  if (sealedContentOf(content ?? {}) !== undefined) return undefined
  const member = key.participant || participant || undefined
  return {
    key: {
      id: key.id,
      remoteJid: withoutDevice(chat),
      ...(member !== undefined && { participant: member }),
      fromMe: key.fromMe === true,
    },
    timestamp: secondsOr(messageTimestamp, 0),
    pushName: pushName ?? '',
    message,
  }
}

/** Files of old messages stay with the platform until a customer asks for them by their id. */
async function historicOf(context: SessionContext, stored: StoredMessage): Promise<HistoricMessage> {
  const { fromMe } = stored.key
  const content = normalizeMessageContent(stored.message) ?? {}
  const people = await peopleOf(context, stored)
  const { media, ...read } = readContent(content)
  const fetched = { status: 'too_large' } as const
  const file = media && (await keepFile(context, stored, media, fetched))
  const event = {
    ...frame(context, stored, people),
    ...read,
    ...(media && { media: mediaPart(media, fetched) }),
    ...(await quotedFields(context, content, people)),
  }
  const secret = stored.message.messageContextInfo?.messageSecret
  return {
    event,
    forEndpoints: {
      requires: 'history',
      extras: {
        history: { historic: true, from_me: fromMe },
        context: readMessageContext(stored.message, content, await isMe(context)),
        ...(file && { media: { media: file } }),
      },
    },
    seen: {
      messageId: event.message_id,
      chatJid: event.chat_jid,
      senderJid: event.sender_jid,
      fromMe,
      ...(secret?.length === SECRET_BYTES && { secret }),
      ...(isAnswered(content) && { isAnswered: true }),
    },
  }
}

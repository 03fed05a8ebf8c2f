import { normalizeMessageContent, proto } from 'baileys'
import type { ContactEvent, MessageEvent } from '../../../domain/event.ts'
import { isPerson, jidKind } from '../../../domain/jid.ts'
import type { Interpretation } from '../../platform.ts'
import { readMessage, type StoredMessage } from '../received/inbox-item.ts'
import { learnHistory } from '../history/learn-history.ts'
import { interpretFirstHistory, isOfFirst } from '../history/first-history.ts'
import { interpretRequestedHistory, requestOf } from '../history/requested-history.ts'
import { contentReason, HISTORY, OWN_MESSAGE, silentReason } from '../received/silent-messages.ts'
import type { SessionContext } from '../session-context.ts'
import { activityIn } from '../remembered/chat-activity.ts'
import { addReader } from '../remembered/status-readers.ts'
import { forgedChange } from './changes.ts'
import { noteName } from './contact.ts'
import { isAnswered, isFetchable, readContent, replyOf } from './content.ts'
import { readMessageContext } from './context.ts'
import { frame } from './frame.ts'
import { interpretEventAnswer } from './event-answer.ts'
import { fetchIncoming } from './fetch-incoming.ts'
import { mediaPart } from './media-part.ts'
import { interpretPost } from './newsletter.ts'
import { isMe, seenIn } from './names.ts'
import { type People, peopleOf } from './people.ts'
import { interpretVote } from './poll-vote.ts'
import { quotedFields } from './quoted.ts'
import { type FileFields, keepFile } from './received-file.ts'
import { openSealed } from './open-sealed.ts'
import { sealedContentOf } from './sealed-content.ts'

/** The sender chooses the secret: one of another length is not stored. */
const SECRET_BYTES = 32
const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type

export async function interpretMessage(
  context: SessionContext,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<Interpretation> {
  const stored = readMessage(body)
  await noteExpiration(context, stored)
  if (stored.silent === OWN_MESSAGE) return await interpretOwnMessage(context, stored, signal)
  if (stored.silent !== undefined) {
    const history = stored.silent === HISTORY ? historyIn(stored) : undefined
    const requested = history && (await requestOf(context, history))
    if (requested) return await interpretRequestedHistory(context, history, requested, signal)
    const first = history && isOfFirst(history) ? await context.storage.findFirstHistory?.() : undefined
    if (first) return await interpretFirstHistory(context, history!, first, signal)
    return { kind: 'none', reason: history ? await learnHistory(context, history, signal) : stored.silent }
  }
  if (jidKind(stored.key.remoteJid) === 'channel') return interpretPost(context, stored)
  return await interpretContent(context, stored, signal)
}

/** What the number's own phone sent. The platform repeats none of what the gateway sent; if it did, it is no event. */
async function interpretOwnMessage(
  context: SessionContext,
  stored: StoredMessage,
  signal: AbortSignal,
): Promise<Interpretation> {
  const { id, remoteJid } = stored.key
  await addReader(context, remoteJid)
  const isPost = jidKind(remoteJid) === 'channel'
  if (isPost || !(await context.storage.isIncluded('own'))) {
    const isMessage = contentReason(normalizeMessageContent(stored.message)) === undefined
    const chats = isMessage && activityIn(context, await context.lids.phoneFirst(remoteJid), stored.timestamp * 1000)
    return { kind: 'none', reason: OWN_MESSAGE, ...(chats && { chats }) }
  }
  if ((await seenIn(context, remoteJid, id))?.fromMe) return { kind: 'none', reason: 'own_message_known' }
  const content = normalizeMessageContent(stored.message)
  const isOwnAnswer = content?.pollUpdateMessage ?? content?.encEventResponseMessage
  const silent = isOwnAnswer ? 'own_vote' : contentReason(content)
  if (silent) return { kind: 'none', reason: silent }
  return await interpretContent(context, stored, signal)
}

async function interpretContent(
  context: SessionContext,
  stored: StoredMessage,
  signal: AbortSignal,
): Promise<Interpretation> {
  const { fromMe } = stored.key
  const received = normalizeMessageContent(stored.message) ?? {}
  const people = await peopleOf(context, stored)
  const answer = received.encEventResponseMessage
  if (answer) return interpretEventAnswer(context, stored, answer, people)
  const sealed = sealedContentOf(received)
  const opened = sealed ? await openSealed(context, stored, sealed, people) : ({ ok: true, content: received } as const)
  if (!opened.ok) return { kind: 'none', reason: opened.reason }
  const shown = normalizeMessageContent(opened.content) ?? {}
  const content = shown.commentMessage ? replyOf(shown.commentMessage) : shown
  if (sealed && sealedContentOf(content)) return { kind: 'none', reason: 'sealed_twice' }
  const silent = sealed && silentReason({ key: { ...stored.key, fromMe: false }, message: content })
  if (silent) return { kind: 'none', reason: silent }
  if (content.pollUpdateMessage) return interpretVote(context, stored, content.pollUpdateMessage, people)
  const change = content.protocolMessage
  const forged = change && (await forgedChange(context, stored, change, people, signal))
  if (forged) return { kind: 'none', reason: forged }
  const { event, file } = await eventOf(context, stored, content, people, signal)
  // Some apps put it inside the envelope.
  const secrets = [stored.message, received].map(message => message.messageContextInfo?.messageSecret)
  const secret = secrets.find(each => each?.length === SECRET_BYTES)
  const isNew = !event.reacted_message_id && !event.edited_message_id && !event.revoked_message_id
  const chats = isNew ? activityIn(context, event.chat_jid, event.timestamp_unix * 1000, !fromMe) : undefined
  return {
    kind: 'events',
    events: [event],
    ...(chats && { chats }),
    forEndpoints: {
      ...(fromMe && { requires: 'own' }),
      extras: {
        ...(fromMe && { own: { from_me: true } }),
        context: readMessageContext(stored.message, newContentOf(shown), await isMe(context)),
        ...(file && { media: { media: file } }),
      },
    },
    ...(await furtherEvents(context, stored, event)),
    remember: [
      {
        messageId: event.message_id,
        chatJid: event.chat_jid,
        senderJid: event.sender_jid,
        fromMe,
        ...(secret && { secret }),
        ...(isAnswered(content) && { isAnswered: true }),
      },
    ],
  }
}

/** Of a changed event, what it says from now on. */
function newContentOf(content: proto.IMessage): proto.IMessage {
  const edited = normalizeMessageContent(content.protocolMessage?.editedMessage)
  return edited?.eventMessage ? edited : content
}

async function furtherEvents(
  context: SessionContext,
  stored: StoredMessage,
  event: MessageEvent,
): Promise<{ furtherEvents?: ContactEvent[] }> {
  const named = stored.key.fromMe ? undefined : await noteName(context, event)
  return named ? { furtherEvents: [named] } : {}
}

/** Only the number's own devices send its history. */
const historyIn = ({ key, message }: StoredMessage): proto.Message.IHistorySyncNotification | undefined =>
  (key.fromMe && normalizeMessageContent(message)?.protocolMessage?.historySyncNotification) || undefined

/** The number's own phone says it too, in the messages that it sends. */
async function noteExpiration(
  { lids, expirations }: SessionContext,
  { key, expiration }: StoredMessage,
): Promise<void> {
  if (expiration && isPerson(key.remoteJid)) await expirations.note(await lids.phoneFirst(key.remoteJid), expiration)
}

async function eventOf(
  context: SessionContext,
  stored: StoredMessage,
  content: proto.IMessage,
  people: People,
  signal: AbortSignal,
): Promise<{ event: MessageEvent; file?: FileFields }> {
  const change = content.protocolMessage
  const changedId = change?.key?.id ?? ''
  if (change?.type === REVOKE)
    return { event: { ...frame(context, stored, people), type: 'other', text: '', revoked_message_id: changedId } }
  const isEdit = change?.type === MESSAGE_EDIT
  const shown = isEdit ? (normalizeMessageContent(change.editedMessage) ?? {}) : content
  const { media: named, ...read } = readContent(shown)
  const media = named && (!isEdit || isFetchable(named)) ? named : undefined
  const fetched = media && (await fetchIncoming(context, stored, media, signal))
  const file = media && fetched && (await keepFile(context, stored, media, fetched))
  const event = {
    ...frame(context, stored, people),
    ...read,
    ...(media && fetched && { media: mediaPart(media, fetched) }),
    ...(await quotedFields(context, shown, people)),
    ...(isEdit && { edited_message_id: changedId }),
  }
  return { event, ...(file && { file }) }
}

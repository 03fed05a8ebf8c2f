import { normalizeMessageContent, proto } from 'baileys'
import type { MessageEvent } from '../../../domain/event.ts'
import { isPerson, jidKind, withoutDevice } from '../../../domain/jid.ts'
import type { Interpretation } from '../../platform.ts'
import { readMessage, type StoredMessage } from '../received/inbox-item.ts'
import { learnHistory } from '../history/learn-history.ts'
import { HISTORY, silentReason } from '../received/silent-messages.ts'
import type { SessionContext } from '../session-context.ts'
import { addReader } from '../remembered/status-readers.ts'
import { forgedChange } from './changes.ts'
import { isFetchable, plainText, readContent, replyOf } from './content.ts'
import { fetchIncoming } from './fetch-incoming.ts'
import { mediaPart } from './media-part.ts'
import { interpretPost } from './newsletter.ts'
import { type People, peopleOf } from './people.ts'
import { interpretVote } from './poll-vote.ts'
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
  if (stored.silent !== undefined) {
    if (stored.silent === 'own_message') await addReader(context, stored.key.remoteJid)
    const history = stored.silent === HISTORY ? historyIn(stored) : undefined
    if (history) return { kind: 'none', reason: await learnHistory(context, history, signal) }
    return { kind: 'none', reason: stored.silent }
  }
  if (jidKind(stored.key.remoteJid) === 'channel') return interpretPost(context, stored)
  const received = normalizeMessageContent(stored.message) ?? {}
  const people = await peopleOf(context, stored)
  const sealed = sealedContentOf(received)
  const opened = sealed ? await openSealed(context, stored, sealed, people) : ({ ok: true, content: received } as const)
  if (!opened.ok) return { kind: 'none', reason: opened.reason }
  const shown = normalizeMessageContent(opened.content) ?? {}
  const content = shown.commentMessage ? replyOf(shown.commentMessage) : shown
  if (sealed && sealedContentOf(content)) return { kind: 'none', reason: 'sealed_twice' }
  const silent = sealed && silentReason({ key: stored.key, message: content })
  if (silent) return { kind: 'none', reason: silent }
  if (content.pollUpdateMessage) return interpretVote(context, stored, content.pollUpdateMessage, people)
  const change = content.protocolMessage
  const forged = change && (await forgedChange(context, stored, change, people, signal))
  if (forged) return { kind: 'none', reason: forged }
  const event = await eventOf(context, stored, content, people, signal)
  // Some apps put it inside the envelope.
  const secrets = [stored.message, received].map(message => message.messageContextInfo?.messageSecret)
  const secret = secrets.find(each => each?.length === SECRET_BYTES)
  return {
    kind: 'events',
    events: [event],
    remember: [
      {
        messageId: event.message_id,
        chatJid: event.chat_jid,
        senderJid: event.sender_jid,
        fromMe: false,
        ...(secret && { secret }),
        ...(event.type === 'poll' && { isPoll: true }),
      },
    ],
  }
}

/** Only the number's own phone sends its history. */
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
): Promise<MessageEvent> {
  const change = content.protocolMessage
  const changedId = change?.key?.id ?? ''
  if (change?.type === REVOKE)
    return { ...frame(context, stored, people), type: 'other', text: '', revoked_message_id: changedId }
  const isEdit = change?.type === MESSAGE_EDIT
  const shown = isEdit ? (normalizeMessageContent(change.editedMessage) ?? {}) : content
  const { media: named, ...read } = readContent(shown)
  const media = named && (!isEdit || isFetchable(named)) ? named : undefined
  return {
    ...frame(context, stored, people),
    ...read,
    ...(media && { media: mediaPart(media, await fetchIncoming(context, stored, media, signal)) }),
    ...(await quotedFields(context, shown, people)),
    ...(isEdit && { edited_message_id: changedId }),
  }
}

type Frame = Omit<MessageEvent, 'type' | 'text'>

function frame(context: SessionContext, stored: StoredMessage, people: People): Frame {
  return {
    kind: 'message',
    message_id: stored.key.id,
    session_id: context.sessionId,
    sender_jid: people.senderJid,
    ...(people.senderPhone !== undefined && { sender_phone: people.senderPhone }),
    sender_name: stored.pushName,
    chat_jid: people.chatJid,
    is_group: people.isGroup,
    broadcast: people.isStatus,
    timestamp_unix: stored.timestamp,
  }
}

type Quoted = Pick<MessageEvent, 'quoted_message_id' | 'quoted_participant' | 'quoted_text'>

async function quotedFields(context: SessionContext, content: proto.IMessage, people: People): Promise<Quoted> {
  const about = contextOf(content)
  if (!about?.stanzaId) return {}
  const sender = withoutDevice(about.participant ?? people.chatJid)
  return {
    quoted_message_id: about.stanzaId,
    quoted_participant: people.isGroup ? sender : await context.lids.phoneFirst(sender),
    quoted_text: previewOf(about.quotedMessage),
  }
}

function contextOf(content: proto.IMessage): proto.IContextInfo | undefined {
  for (const part of Object.values(content) as unknown[]) {
    const info = (part as { contextInfo?: proto.IContextInfo | null } | null)?.contextInfo
    if (info) return info
  }
  return undefined
}

/** The text of the quoted message; a caption is not text (specification, `quoted_text`). */
function previewOf(quoted: proto.IMessage | null | undefined): string {
  const content = normalizeMessageContent(quoted)
  if (!content) return ''
  const text = plainText(content)
  if (text !== undefined) return text
  const { media, text: words } = readContent(content)
  return media ? '' : words
}

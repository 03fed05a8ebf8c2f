import { proto } from 'baileys'
import { jidKind } from '../../../domain/jid.ts'
import type { Content } from '../../../domain/message.ts'
import type { SeenMessage } from '../../platform.ts'
import { refused } from '../errors.ts'
import type { Connection } from '../link/connection.ts'
import type { SessionContext } from '../session-context.ts'
import { seenIn } from '../to-event/names.ts'
import { secretOf } from '../to-event/open-sealed.ts'
import { eventMessage, keyOf } from '../to-message/compose.ts'
import { EVENT_EDIT_USE, EVENT_RESPONSE_USE, type SecretKey, sealWithSecret } from '../wire/message-secret.ts'
import { type Address, nameAs, nameInChat } from './addressing.ts'

type EventChange = Extract<Content, { type: 'event_change' }>
type EventAnswer = Extract<Content, { type: 'event_answer' }>

const { EVENT_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType
const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type
const { GOING, NOT_GOING, MAYBE } = proto.Message.EventResponseMessage.EventResponseType
const RESPONSES = { going: GOING, not_going: NOT_GOING, maybe: MAYBE }

/** The new event, encrypted under the secret of the event that it replaces. */
export async function eventChange(
  context: SessionContext,
  connection: Connection,
  address: Address,
  content: EventChange,
): Promise<proto.IMessage> {
  const event = await knownEvent(context, address, content.messageId, 'event_change')
  const own = await nameIn(context, connection, address, context.sessionId)
  const targetMessageKey = keyOf(address.to, content.messageId, { fromMe: true, participant: own })
  const editedMessage = { eventMessage: { ...eventMessage(content), isCanceled: content.isCanceled } }
  const timestampMs = context.clock.now().getTime()
  const change = { protocolMessage: { key: targetMessageKey, type: MESSAGE_EDIT, editedMessage, timestampMs } }
  const sealed = sealWithSecret(
    { ...event, author: own, sender: own, use: EVENT_EDIT_USE },
    proto.Message.encode(change).finish(),
  )
  return { secretEncryptedMessage: { targetMessageKey, secretEncType: EVENT_EDIT, ...sealed } }
}

export async function eventAnswer(
  context: SessionContext,
  connection: Connection,
  address: Address,
  { messageId, participant, answer }: EventAnswer,
): Promise<proto.IMessage> {
  const event = await knownEvent(context, address, messageId, 'event_answer')
  const { fromMe, senderJid } = event.seen
  const author = await nameIn(context, connection, address, senderJid || participant || '')
  const sender = await nameIn(context, connection, address, context.sessionId)
  const response = { response: RESPONSES[answer], timestampMs: context.clock.now().getTime(), extraGuestCount: 0 }
  const sealed = sealWithSecret(
    { ...event, author, sender, use: EVENT_RESPONSE_USE },
    proto.Message.EventResponseMessage.encode(response).finish(),
  )
  const eventCreationMessageKey = keyOf(address.to, messageId, { fromMe, participant: author })
  return { encEventResponseMessage: { eventCreationMessageKey, ...sealed } }
}

interface KnownEvent extends Pick<SecretKey, 'secret' | 'messageId'> {
  seen: SeenMessage
}

async function knownEvent(
  context: SessionContext,
  { chat }: Address,
  messageId: string,
  field: string,
): Promise<KnownEvent> {
  const seen = await seenIn(context, chat, messageId)
  const secret = seen && (await secretOf(context, seen))
  if (!secret) throw refused(`${field}.message_id: the number knows no such event in this chat`)
  return { seen, secret, messageId }
}

/** The person's name as the messages of the chat have it, which is part of the key. */
async function nameIn(context: SessionContext, { sock }: Connection, address: Address, jid: string): Promise<string> {
  if (jidKind(address.chat) !== 'group') return await nameInChat(context, address, jid)
  const { addressingMode } = await context.groups.find(sock, address.chat)
  return await nameAs(context, jid, addressingMode === 'pn' ? 'pn' : 'lid')
}

import { proto } from 'baileys'
import { nowMs } from '../clock.ts'
import { nameOf } from '../people.ts'
import { Refused } from '../refused.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import type { Chat } from './destination.ts'
import { openWithSecret, sealWithSecret, secretOf, type SecretUse } from './message-secret.ts'

const { EVENT_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType
const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type

/** Replaces an event that the phone has sent; only recipients of the event can read it. */
export function eventChangeMessage(
  network: Network,
  user: User,
  chat: Chat,
  eventId: string,
  eventMessage: proto.Message.IEventMessage,
): proto.IMessage {
  const sent = user.sent.get(eventId)
  const secret = sent && secretOf(proto.Message.decode(sent.content))
  if (!secret) throw new Refused('the phone has not sent this event')
  const name = nameOf(user, chat.addressing)
  const key = {
    id: eventId,
    remoteJid: chat.jid,
    fromMe: true,
    ...(chat.to.kind === 'person' ? {} : { participant: name }),
  }
  const timestampMs = nowMs(network)
  const change = { protocolMessage: { key, type: MESSAGE_EDIT, editedMessage: { eventMessage }, timestampMs } }
  const context = { secret, messageId: eventId, author: name, modifier: name, use: 'Event Edit' } as const
  return {
    secretEncryptedMessage: {
      targetMessageKey: key,
      secretEncType: EVENT_EDIT,
      ...sealWithSecret(context, proto.Message.encode(change).finish()),
    },
  }
}

/** What a phone needs to open content about an event. */
interface About {
  readonly event: proto.IMessage
  readonly author: User
  readonly sender: User
}

type Sealed = Pick<proto.Message.ISecretEncryptedMessage, 'encIv' | 'encPayload'> & { readonly id: string }

/** The key has the people's names of the chat. */
function open({ event, author, sender }: About, { id, encIv, encPayload }: Sealed, use: SecretUse): Buffer | undefined {
  const secret = secretOf(event)
  if (!secret || !encIv || !encPayload || !event.eventMessage) return undefined
  for (const addressing of ['lid', 'pn'] as const) {
    const names = { author: nameOf(author, addressing), modifier: nameOf(sender, addressing) }
    try {
      return openWithSecret({ secret, messageId: id, ...names, use }, encIv, encPayload)
    } catch {
      // The key has the other names.
    }
  }
  return undefined
}

/** The event as it is from now on, in the form of an edit; `undefined` if the phone cannot read it. */
export function openedChange(
  about: About,
  { targetMessageKey, secretEncType, ...sealed }: proto.Message.ISecretEncryptedMessage,
): proto.IMessage | undefined {
  const id = targetMessageKey?.id ?? ''
  const opened = secretEncType === EVENT_EDIT ? open(about, { ...sealed, id }, 'Event Edit') : undefined
  const change = opened && proto.Message.decode(opened)
  const { key, type, editedMessage } = change?.protocolMessage ?? {}
  const event = editedMessage?.eventMessage
  return key?.id === id && type === MESSAGE_EDIT && event?.name && Number(event.startTime) ? change : undefined
}

/** The answer as the phone keeps it once it is open: without a nonce, and not encrypted. */
export function openedAnswer(
  about: About,
  { eventCreationMessageKey, ...sealed }: proto.Message.IEncEventResponseMessage,
): proto.IMessage | undefined {
  const opened = open(about, { ...sealed, id: eventCreationMessageKey?.id ?? '' }, 'Event Response')
  return opened && { encEventResponseMessage: { eventCreationMessageKey, encPayload: opened } }
}

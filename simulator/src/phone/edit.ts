import { normalizeMessageContent, proto } from 'baileys'
import { nowMs } from '../clock.ts'
import type { Addressing } from '../jid.ts'
import { nameOf } from '../people.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { type MessageReference, referenceKey } from './content.ts'
import type { Chat } from './destination.ts'
import { openWithSecret, sealWithSecret, secretOf, type SecretUse } from './message-secret.ts'

export interface Edit {
  readonly target: MessageReference
  readonly text: string
  /** Uses the form of older apps, which did not encrypt edits. */
  readonly isPlain?: boolean
  /** How the key names the author; phones differ here. */
  readonly keyAddressing?: Addressing
}

/** An edit in the form of the official apps: encrypted with the secret of the message that it changes. */
export function editMessage(network: Network, user: User, chat: Chat, edit: Edit): proto.IMessage {
  const key = referenceKey({ ...edit.target, fromMe: true })
  const change: proto.IMessage = {
    protocolMessage: {
      key,
      type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
      editedMessage: changed(user, edit),
      timestampMs: nowMs(network),
    },
  }
  const secret = secretOfSent(user, edit.target.id)
  if (edit.isPlain || !secret) return { editedMessage: { message: change } }
  const name = nameOf(user, edit.keyAddressing ?? chat.addressing)
  const { MESSAGE_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType
  return {
    secretEncryptedMessage: {
      targetMessageKey: key,
      secretEncType: MESSAGE_EDIT,
      ...sealWithSecret(
        { secret, messageId: edit.target.id, author: name, modifier: name, use: 'Message Edit' },
        proto.Message.encode(change).finish(),
      ),
    },
  }
}

/** For a file only the caption changes: the new content names the kind of file but contains nothing of the file. */
function changed(user: User, { target, text }: Edit): proto.IMessage {
  const sent = user.sent.get(target.id)
  const content = sent && normalizeMessageContent(proto.Message.decode(sent.content))
  if (content?.imageMessage) return { imageMessage: { caption: text } }
  if (content?.videoMessage) return { videoMessage: { caption: text } }
  if (content?.documentMessage) return { documentMessage: { caption: text } }
  return { conversation: text }
}

function secretOfSent(user: User, id: string): Uint8Array | undefined {
  const sent = user.sent.get(id)
  return sent && secretOf(proto.Message.decode(sent.content))
}

const { EVENT_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType
const USES: Readonly<Record<number, SecretUse>> = { [EVENT_EDIT]: 'Event Edit' }

/** Decrypts an edit that the phone itself has sent; returns other messages unchanged. */
export function openOwnEdit(user: User, message: proto.IMessage): proto.IMessage {
  const { targetMessageKey, encIv, encPayload, secretEncType } = message.secretEncryptedMessage ?? {}
  const messageId = targetMessageKey?.id
  const secret = messageId ? secretOfSent(user, messageId) : undefined
  if (!messageId || !secret || !encIv || !encPayload) return message
  for (const name of [nameOf(user, 'pn'), nameOf(user, 'lid')]) {
    const context = {
      secret,
      messageId,
      author: name,
      modifier: name,
      use: USES[secretEncType ?? 0] ?? 'Message Edit',
    } as const
    try {
      return proto.Message.decode(openWithSecret(context, encIv, encPayload))
    } catch {
      // The key uses the other name.
    }
  }
  return message
}

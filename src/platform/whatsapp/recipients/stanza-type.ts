import { normalizeMessageContent, proto } from 'baileys'

/** The attributes with which a stanza names its content. */
export interface StanzaType {
  readonly type: string
  readonly mediaType?: string
}

type Kind = keyof proto.IMessage

const MEDIA: ReadonlyArray<readonly [Kind, string]> = [
  ['imageMessage', 'image'],
  ['stickerMessage', 'sticker'],
  ['documentMessage', 'document'],
  ['contactMessage', 'vcard'],
  ['contactsArrayMessage', 'contact_array'],
  ['liveLocationMessage', 'livelocation'],
  ['listMessage', 'list'],
  ['groupInviteMessage', 'url'],
]
const OTHERS: ReadonlyArray<readonly [Kind, string]> = [
  ['reactionMessage', 'reaction'],
  ['pollCreationMessage', 'poll'],
  ['pollCreationMessageV2', 'poll'],
  ['pollCreationMessageV3', 'poll'],
  ['pollUpdateMessage', 'poll'],
  ['eventMessage', 'event'],
]

export function stanzaTypeOf(message: proto.IMessage): StanzaType {
  const content = normalizeMessageContent(message) ?? {}
  const mediaType = mediaTypeOf(content)
  if (mediaType !== undefined) return { type: 'media', mediaType }
  if (isAboutEvent(content)) return { type: 'event' }
  return { type: OTHERS.find(([kind]) => content[kind])?.[1] ?? 'text' }
}

function mediaTypeOf(content: proto.IMessage): string | undefined {
  if (content.videoMessage) return content.videoMessage.gifPlayback ? 'gif' : 'video'
  if (content.audioMessage) return content.audioMessage.ptt ? 'ptt' : 'audio'
  return MEDIA.find(([kind]) => content[kind])?.[1]
}

/** The change of an event, or an answer to one. */
export const isAboutEvent = ({ secretEncryptedMessage, encEventResponseMessage }: proto.IMessage): boolean =>
  !!encEventResponseMessage || secretEncryptedMessage?.secretEncType === EVENT_EDIT

const { EVENT_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType
const { UNDO_KEEP_FOR_ALL } = proto.KeepType
const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type

/** The stanza's `edit` attribute for a message that changes an earlier one. */
export function editAttributeOf(message: proto.IMessage): string | undefined {
  if (message.pinInChatMessage) return '2'
  if (message.secretEncryptedMessage) return '1'
  const { keepInChatMessage: keep } = message
  // A person who kept a message withdraws that like a message.
  if (keep) return keep.keepType === UNDO_KEEP_FOR_ALL && keep.key?.fromMe ? '7' : undefined
  switch (message.protocolMessage?.type) {
    case MESSAGE_EDIT:
      return '1'
    case REVOKE:
      return message.protocolMessage.key?.fromMe === false ? '8' : '7'
    default:
      return undefined
  }
}

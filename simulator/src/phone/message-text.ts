import { normalizeMessageContent, proto } from 'baileys'

/** The text of a message: its body, caption, question, emoji or label. */
export function textOfMessage(message: proto.IMessage): string {
  const content = normalizeMessageContent(message) ?? {}
  const candidates = [
    content.conversation,
    content.extendedTextMessage?.text,
    content.imageMessage?.caption,
    content.videoMessage?.caption,
    content.documentMessage?.caption,
    content.reactionMessage?.text,
    pollOf(content)?.name,
    content.buttonsResponseMessage?.selectedDisplayText,
    content.templateButtonReplyMessage?.selectedDisplayText,
    content.listResponseMessage?.title,
    content.interactiveResponseMessage?.body?.text,
    content.interactiveMessage?.body?.text,
    content.locationMessage?.name,
    content.contactMessage?.displayName,
    content.eventMessage?.name,
    content.protocolMessage?.editedMessage && textOfMessage(content.protocolMessage.editedMessage),
  ]
  return candidates.find(text => !!text) ?? ''
}

export function pollOf(content: proto.IMessage): proto.Message.IPollCreationMessage | null | undefined {
  return content.pollCreationMessage ?? content.pollCreationMessageV2 ?? content.pollCreationMessageV3
}

/** Whether a message appears in the chat, so that a person can read it. */
export function isReadable(message: proto.IMessage): boolean {
  const content = normalizeMessageContent(message)
  if (!content) return false
  const hidden =
    content.reactionMessage ??
    content.protocolMessage ??
    content.pollUpdateMessage ??
    content.secretEncryptedMessage ??
    content.encEventResponseMessage
  return !hidden && !content.pinInChatMessage && !content.keepInChatMessage
}

type MediaKind =
  | 'image'
  | 'gif'
  | 'video'
  | 'ptt'
  | 'audio'
  | 'document'
  | 'sticker'
  | 'livelocation'
  | 'location'
  | 'vcard'
  | 'contact_array'

function mediaKindOf(content: proto.IMessage): MediaKind | undefined {
  if (content.imageMessage) return 'image'
  if (content.videoMessage) return content.videoMessage.gifPlayback ? 'gif' : 'video'
  if (content.audioMessage) return content.audioMessage.ptt ? 'ptt' : 'audio'
  if (content.documentMessage) return 'document'
  if (content.stickerMessage) return 'sticker'
  if (content.liveLocationMessage) return 'livelocation'
  if (content.locationMessage) return 'location'
  if (content.contactMessage) return 'vcard'
  return content.contactsArrayMessage ? 'contact_array' : undefined
}

const isEventChange = ({ secretEncryptedMessage: change }: proto.IMessage): true | undefined =>
  change?.secretEncType === proto.Message.SecretEncryptedMessage.SecretEncType.EVENT_EDIT ? true : undefined

/** How the stanza describes a message to the server, which cannot decrypt it. */
export function stanzaTypeOf(message: proto.IMessage): { readonly type: string; readonly mediaType?: string } {
  const content = normalizeMessageContent(message) ?? {}
  if (content.reactionMessage) return { type: 'reaction' }
  if (content.eventMessage ?? content.encEventResponseMessage ?? isEventChange(content)) return { type: 'event' }
  if (pollOf(content) ?? content.pollUpdateMessage) return { type: 'poll' }
  const mediaType = mediaKindOf(content)
  return mediaType ? { type: 'media', mediaType } : { type: 'text' }
}

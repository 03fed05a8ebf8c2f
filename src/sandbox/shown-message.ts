import { numberJid } from '@postern/simulator/jid'
import { mediaOf } from '@postern/simulator/phone/media-retry'
import { pollOf, textOfMessage } from '@postern/simulator/phone/message-text'
import type { Phone } from '@postern/simulator/phone/phone'
import { normalizeMessageContent, proto } from 'baileys'
import type { SandboxMessage } from '../domain/sandbox.ts'

/** A message that a contact's phone holds; what it says is decoded only where it is shown. */
export interface Found {
  phone: Phone
  id: string
  chat: string
  from: string
  fromMe: boolean
  timestamp: number
  atMs: number
  message: () => proto.IMessage
  status: SandboxMessage['status']
  copies: number
}

/** Opens the file of a message as far as the answer has room for it. */
export type OpenFile = (found: Found, length: number) => { data?: string; data_omitted?: true }

/** A message as it is listed. */
export function showFound(found: Found, openFile: OpenFile): SandboxMessage {
  const { phone, chat } = found
  const message = found.message()
  const content = normalizeMessageContent(message) ?? {}
  return {
    message_id: found.id,
    contact: phone.jid,
    chat_jid: chat.includes('@') ? chat : phone.jid,
    from: numberJid(found.from),
    from_me: found.fromMe,
    type: typeOf(content),
    text: textOfMessage(message),
    timestamp_unix: found.timestamp,
    status: found.status,
    copies: found.copies,
    ...mediaView(found, message, openFile),
    ...locationView(content),
    ...pollView(content),
    ...buttonsView(content),
    ...references(content),
  }
}

function typeOf(content: proto.IMessage): string {
  if (content.conversation ?? content.extendedTextMessage) return 'text'
  if (content.imageMessage) return 'image'
  if (content.videoMessage) return 'video'
  if (content.audioMessage) return content.audioMessage.ptt ? 'voice' : 'audio'
  if (content.documentMessage) return 'document'
  if (content.stickerMessage) return 'sticker'
  if (content.locationMessage ?? content.liveLocationMessage) return 'location'
  if (content.reactionMessage) return 'reaction'
  if (pollOf(content)) return 'poll'
  if (content.pollUpdateMessage) return 'vote'
  if (content.contactMessage ?? content.contactsArrayMessage) return 'contacts'
  if (content.buttonsMessage) return 'buttons'
  if (content.listMessage) return 'list'
  if (content.interactiveMessage) return content.interactiveMessage.nativeFlowMessage ? 'buttons' : 'other'
  const answer = content.buttonsResponseMessage ?? content.templateButtonReplyMessage ?? content.listResponseMessage
  if (answer ?? content.interactiveResponseMessage) return 'button_response'
  return protocolType(content)
}

function protocolType({ protocolMessage }: proto.IMessage): string {
  const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type
  if (protocolMessage?.type === REVOKE) return 'revoke'
  return protocolMessage?.type === MESSAGE_EDIT ? 'edit' : 'other'
}

function mediaView(found: Found, message: proto.IMessage, openFile: OpenFile): Pick<SandboxMessage, 'media'> {
  const media = mediaOf(message)
  if (!media) return {}
  const { mimetype, fileName, fileLength } = media as { mimetype?: string; fileName?: string; fileLength?: unknown }
  const length = Number(fileLength ?? 0)
  return {
    media: {
      mimetype: mimetype ?? '',
      ...(fileName ? { filename: fileName } : {}),
      file_length: length,
      ...openFile(found, length),
    },
  }
}

function locationView({ locationMessage: place }: proto.IMessage): Pick<SandboxMessage, 'location'> {
  if (!place) return {}
  const { degreesLatitude, degreesLongitude, name, address } = place
  const point = { latitude: degreesLatitude ?? 0, longitude: degreesLongitude ?? 0 }
  return { location: { ...point, name: name ?? '', address: address ?? '' } }
}

function pollView(content: proto.IMessage): Pick<SandboxMessage, 'poll'> {
  const poll = pollOf(content)
  if (!poll) return {}
  const options = (poll.options ?? []).map(option => option.optionName ?? '')
  return { poll: { name: poll.name ?? '', options, selectable_count: poll.selectableOptionsCount ?? 0 } }
}

/** What can be pressed: buttons, rows of a list, or the buttons of a native flow. */
function buttonsView(content: proto.IMessage): Pick<SandboxMessage, 'buttons'> {
  const plain = content.buttonsMessage?.buttons?.map(button => [button.buttonId, button.buttonText?.displayText])
  const rows = content.listMessage?.sections?.flatMap(section => section.rows ?? []).map(row => [row.rowId, row.title])
  const flow = content.interactiveMessage?.nativeFlowMessage?.buttons?.flatMap(button =>
    flowChoices(button.buttonParamsJson ?? '{}'),
  )
  const buttons = plain ?? rows ?? flow
  return buttons ? { buttons: buttons.map(([id, text]) => ({ id: id ?? '', text: text ?? '' })) } : {}
}

interface FlowParameters {
  id?: string
  display_text?: string
  sections?: Array<{ rows?: Array<{ id?: string; title?: string }> }>
}

function flowChoices(json: string): Array<[string | undefined, string | undefined]> {
  const { id, display_text: label, sections } = JSON.parse(json) as FlowParameters
  if (sections === undefined) return [[id, label]]
  return sections.flatMap(section => section.rows ?? []).map(row => [row.id, row.title])
}

function references(content: proto.IMessage): Pick<SandboxMessage, 'quoted_message_id' | 'reacted_message_id'> {
  const inner = Object.values(content).find(value => (value as { contextInfo?: unknown } | null)?.contextInfo)
  const quoted = (inner as { contextInfo?: proto.IContextInfo } | undefined)?.contextInfo?.stanzaId
  const reacted = content.reactionMessage?.key?.id
  return {
    ...(quoted ? { quoted_message_id: quoted } : {}),
    ...(reacted ? { reacted_message_id: reacted } : {}),
  }
}

import { normalizeMessageContent, proto } from 'baileys'
import { mediaOf } from './media-retry.ts'
import { pollOf, textOfMessage } from './message-text.ts'

/** The content of a message in a form that does not depend on the protocol. */
export interface MessageView {
  readonly type: string
  readonly text: string
  readonly media?: { readonly mimetype: string; readonly filename?: string; readonly length: number }
  readonly location?: {
    readonly latitude: number
    readonly longitude: number
    readonly name: string
    readonly address: string
  }
  readonly poll?: { readonly name: string; readonly options: string[]; readonly selectableCount: number }
  readonly buttons?: { readonly id: string; readonly text: string }[]
  readonly quotedId?: string
  readonly reactedId?: string
}

export function viewOfMessage(message: proto.IMessage): MessageView {
  const content = normalizeMessageContent(message) ?? {}
  return {
    type: typeOf(content),
    text: textOfMessage(message),
    ...mediaView(message),
    ...locationView(content),
    ...pollView(content),
    ...buttonsView(content),
    ...references(content),
  }
}

function mediaView(message: proto.IMessage): Pick<MessageView, 'media'> {
  const media = mediaOf(message)
  if (!media) return {}
  const { mimetype, fileName, fileLength } = media as { mimetype?: string; fileName?: string; fileLength?: unknown }
  const length = Number(fileLength ?? 0)
  return { media: { mimetype: mimetype ?? '', ...(fileName ? { filename: fileName } : {}), length } }
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

function locationView({ locationMessage: place }: proto.IMessage): Pick<MessageView, 'location'> {
  if (!place) return {}
  const { degreesLatitude, degreesLongitude, name, address } = place
  const point = { latitude: degreesLatitude ?? 0, longitude: degreesLongitude ?? 0 }
  return { location: { ...point, name: name ?? '', address: address ?? '' } }
}

function pollView(content: proto.IMessage): Pick<MessageView, 'poll'> {
  const poll = pollOf(content)
  if (!poll) return {}
  const options = (poll.options ?? []).map(option => option.optionName ?? '')
  return { poll: { name: poll.name ?? '', options, selectableCount: poll.selectableOptionsCount ?? 0 } }
}

/** Buttons, rows of a list, or the buttons of a native flow. */
function buttonsView(content: proto.IMessage): Pick<MessageView, 'buttons'> {
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

function references(content: proto.IMessage): Pick<MessageView, 'quotedId' | 'reactedId'> {
  const inner = Object.values(content).find(value => (value as { contextInfo?: unknown } | null)?.contextInfo)
  const quoted = (inner as { contextInfo?: proto.IContextInfo } | undefined)?.contextInfo?.stanzaId
  const reacted = content.reactionMessage?.key?.id
  return {
    ...(quoted ? { quotedId: quoted } : {}),
    ...(reacted ? { reactedId: reacted } : {}),
  }
}

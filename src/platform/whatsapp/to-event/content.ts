import { normalizeMessageContent, type proto } from 'baileys'
import type { IncomingType, MessageEvent } from '../../../domain/event.ts'
import type { IncomingMedia } from './media-part.ts'
import { wordsOf } from './words.ts'

/** The content of a message, before its media are fetched. */
export type ReadContent = Pick<
  MessageEvent,
  'text' | 'location' | 'poll' | 'button_response' | 'reacted_message_id'
> & { type: IncomingType; media?: IncomingMedia }

const MEDIA = [
  ['image', 'imageMessage'],
  ['video', 'videoMessage'],
  ['video', 'ptvMessage'],
  ['audio', 'audioMessage'],
  ['document', 'documentMessage'],
  ['sticker', 'stickerMessage'],
] as const

/** Reads unwrapped content. Content without a type in the API is `other`, with its words as text. */
export function readContent(content: proto.IMessage): ReadContent {
  return (
    readText(content) ??
    readMedia(content) ??
    readReaction(content) ??
    readLocation(content) ??
    readPoll(content) ??
    readButtonResponse(content) ?? { type: 'other', text: wordsOf(content) }
  )
}

/** Whether a file has to be fetched before the message becomes an event. */
export function hasFile(message: proto.IMessage): boolean {
  const content = normalizeMessageContent(message)
  const edited = normalizeMessageContent(content?.protocolMessage?.editedMessage)
  const media = readMedia(edited ?? content ?? {})?.media
  return media !== undefined && (edited === undefined || isFetchable(media))
}

/** An edited caption names the type of its file, but has no key to fetch it. */
export const isFetchable = ({ part }: IncomingMedia): boolean => !!part.mediaKey?.length

export function plainText(content: proto.IMessage): string | undefined {
  return content.conversation ?? content.extendedTextMessage?.text ?? undefined
}

/** A comment is a reply to its message. */
export function replyOf({ message, targetMessageKey: target }: proto.Message.ICommentMessage): proto.IMessage {
  const content = normalizeMessageContent(message) ?? {}
  const text = plainText(content)
  if (!text) return content
  const contextInfo = { stanzaId: target?.id ?? '', participant: target?.participant ?? '' }
  return { extendedTextMessage: { text, contextInfo } }
}

function readText(content: proto.IMessage): ReadContent | undefined {
  const text = plainText(content)
  return text === undefined ? undefined : { type: 'text', text }
}

function readMedia(content: proto.IMessage): ReadContent | undefined {
  const lottie = normalizeMessageContent(content.lottieStickerMessage?.message)?.stickerMessage
  if (lottie) return { type: 'sticker', text: '', media: { type: 'sticker', part: lottie } }
  for (const [type, name] of MEDIA) {
    const part = content[name]
    if (!part) continue
    const caption = 'caption' in part ? (part.caption ?? '') : ''
    return { type, text: caption, media: { type, part } }
  }
  return undefined
}

function readReaction({ reactionMessage: reaction }: proto.IMessage): ReadContent | undefined {
  if (!reaction) return undefined
  return { type: 'reaction', text: reaction.text ?? '', reacted_message_id: reaction.key?.id ?? '' }
}

function readLocation(content: proto.IMessage): ReadContent | undefined {
  const place = content.locationMessage ?? content.liveLocationMessage
  if (!place) return undefined
  const { name, address } = place as proto.Message.ILocationMessage
  const [latitude, longitude] = [place.degreesLatitude ?? 0, place.degreesLongitude ?? 0]
  const text = content.liveLocationMessage?.caption ?? ''
  if (!isOnMap(latitude, longitude)) return { type: 'other', text: text || name || address || '' }
  return {
    type: 'location',
    text,
    location: { latitude, longitude, ...(name && { name }), ...(address && { address }) },
  }
}

/** False also for NaN. */
const isOnMap = (latitude: number, longitude: number): boolean => Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180

function readPoll(content: proto.IMessage): ReadContent | undefined {
  const poll = pollOf(content)
  if (!poll) return undefined
  const name = poll.name ?? ''
  const options = (poll.options ?? []).map(({ optionName }) => optionName ?? '')
  return { type: 'poll', text: name, poll: { name, options, selectable_count: poll.selectableOptionsCount ?? 0 } }
}

/** Whether people answer it long after it was sent: votes, answers and changes need its secret. */
export const isAnswered = (content: proto.IMessage): boolean => !!(pollOf(content) ?? content.eventMessage)

function pollOf(content: proto.IMessage): proto.Message.IPollCreationMessage | null | undefined {
  const wrapped = normalizeMessageContent((content.pollCreationMessageV4 ?? undefined)?.message)
  return (
    content.pollCreationMessage ??
    content.pollCreationMessageV2 ??
    content.pollCreationMessageV3 ??
    content.pollCreationMessageV5 ??
    (wrapped && pollOf(wrapped))
  )
}

function readButtonResponse(content: proto.IMessage): ReadContent | undefined {
  const response = buttonResponseOf(content)
  return response && { type: 'button_response', text: response.selected_text, button_response: response }
}

type ButtonResponse = NonNullable<MessageEvent['button_response']>

/** The selected button or row, in the four forms that phones send. */
function buttonResponseOf(content: proto.IMessage): ButtonResponse | undefined {
  const { buttonsResponseMessage: button, templateButtonReplyMessage: template, listResponseMessage: list } = content
  if (button) return { selected_id: button.selectedButtonId ?? '', selected_text: button.selectedDisplayText ?? '' }
  if (template) return { selected_id: template.selectedId ?? '', selected_text: template.selectedDisplayText ?? '' }
  if (list) return { selected_id: list.singleSelectReply?.selectedRowId ?? '', selected_text: list.title ?? '' }
  return content.interactiveResponseMessage ? nativeFlowResponse(content.interactiveResponseMessage) : undefined
}

function nativeFlowResponse(response: proto.Message.IInteractiveResponseMessage): ButtonResponse {
  const paramsJson = response.nativeFlowResponseMessage?.paramsJson ?? ''
  const params = parse(paramsJson)
  return {
    selected_id: textOf(params.id) ?? '',
    selected_text: response.body?.text || textOf(params.display_text) || textOf(params.title) || '',
    ...(paramsJson !== '' && { params_json: paramsJson }),
  }
}

function parse(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined

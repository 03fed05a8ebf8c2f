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
  readonly buttons?: ButtonView[]
  readonly cards?: CardView[]
  readonly event?: EventView
  /** The event that the message changes. */
  readonly changedEventId?: string
  readonly eventAnswer?: { readonly id: string; readonly answer: string }
  readonly album?: { readonly images: number; readonly videos: number }
  /** The album that a picture or a video belongs to. */
  readonly albumId?: string
  readonly forwarded?: true
  /** `seconds` is 0 if it is unpinned. */
  readonly pin?: { readonly id: string; readonly seconds: number }
  readonly keep?: { readonly id: string; readonly kept: boolean }
  readonly quotedId?: string
  readonly reactedId?: string
}

/** A card of a carousel. */
interface CardView {
  readonly title: string
  readonly text: string
  readonly hasPicture: boolean
  readonly buttons: ButtonView[]
}

export type ButtonView =
  | { readonly id: string; readonly text: string }
  | { readonly type: 'url'; readonly text: string; readonly url: string }
  | { readonly type: 'call'; readonly text: string; readonly phone: string }
  | { readonly type: 'copy'; readonly text: string; readonly code: string }

export interface EventView {
  readonly name: string
  readonly description: string
  /** Unix seconds. */
  readonly start: number
  readonly end?: number
  readonly place?: string
  readonly isCanceled: boolean
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
    ...cardsView(content),
    ...eventView(content),
    ...answerView(content),
    ...albumView(content, message),
    ...actView(content, message),
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
  if (content.eventMessage) return 'event'
  if (content.encEventResponseMessage) return 'event_answer'
  if (content.protocolMessage?.editedMessage?.eventMessage) return 'event_change'
  if (content.albumMessage) return 'album'
  if (content.pinInChatMessage) return 'pin'
  if (content.keepInChatMessage) return 'keep'
  if (content.buttonsMessage) return 'buttons'
  if (content.listMessage) return 'list'
  if (content.interactiveMessage) return interactiveType(content.interactiveMessage)
  const answer = content.buttonsResponseMessage ?? content.templateButtonReplyMessage ?? content.listResponseMessage
  if (answer ?? content.interactiveResponseMessage) return 'button_response'
  return protocolType(content)
}

function interactiveType({ nativeFlowMessage, carouselMessage }: proto.Message.IInteractiveMessage): string {
  if (carouselMessage) return 'carousel'
  return nativeFlowMessage ? 'buttons' : 'other'
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
  const choice = (id: string | null | undefined, text: string | null | undefined): ButtonView => ({
    id: id ?? '',
    text: text ?? '',
  })
  const plain = content.buttonsMessage?.buttons?.map(each => choice(each.buttonId, each.buttonText?.displayText))
  const rows = content.listMessage?.sections?.flatMap(section => section.rows ?? [])
  const flow = content.interactiveMessage?.nativeFlowMessage?.buttons
  const buttons = plain ?? rows?.map(row => choice(row.rowId, row.title)) ?? flow?.flatMap(flowButtons)
  return buttons ? { buttons } : {}
}

function cardsView({ interactiveMessage }: proto.IMessage): Pick<MessageView, 'cards'> {
  const cards = interactiveMessage?.carouselMessage?.cards
  if (!cards) return {}
  return {
    cards: cards.map(({ header, body, nativeFlowMessage }) => ({
      title: header?.title ?? '',
      text: body?.text ?? '',
      hasPicture: !!header?.imageMessage,
      buttons: (nativeFlowMessage?.buttons ?? []).flatMap(flowButtons),
    })),
  }
}

/** Whether a phone shows the cards: each has words, buttons that work, and all of them have a picture or none. */
export function areUsable(cards: readonly proto.Message.IInteractiveMessage[]): boolean {
  if (cards.length < 2 || cards.length > 10) return false
  if (new Set(cards.map(({ header }) => !!header?.imageMessage?.mediaKey?.length)).size > 1) return false
  return cards.every(({ header, body, nativeFlowMessage }) => {
    const buttons = nativeFlowMessage?.buttons ?? []
    const isWhole = header?.hasMediaAttachment === !!header?.imageMessage && !!body?.text
    return isWhole && buttons.length > 0 && buttons.length <= 3 && buttons.every(isUsable)
  })
}

interface FlowParameters {
  id?: string
  display_text?: string
  sections?: Array<{ rows?: Array<{ id?: string; title?: string }> }>
  url?: string
  phone_number?: string
  copy_code?: string
}

type FlowButton = proto.Message.InteractiveMessage.NativeFlowMessage.INativeFlowButton

function flowButtons({ name, buttonParamsJson }: FlowButton): ButtonView[] {
  const { id = '', display_text: text = '', sections, ...link } = readParameters(buttonParamsJson)
  if (name === 'cta_url') return [{ type: 'url', text, url: link.url ?? '' }]
  if (name === 'cta_call') return [{ type: 'call', text, phone: link.phone_number ?? '' }]
  if (name === 'cta_copy') return [{ type: 'copy', text, code: link.copy_code ?? '' }]
  if (sections === undefined) return [{ id, text }]
  return sections.flatMap(section => section.rows ?? []).map(row => ({ id: row.id ?? '', text: row.title ?? '' }))
}

const readParameters = (json: string | null | undefined): FlowParameters => JSON.parse(json || '{}') as FlowParameters

/** Whether a phone shows a button of a native flow: it has what it needs to do its work. */
export function isUsable(button: FlowButton): boolean {
  try {
    return flowButtons(button).every(shown => {
      if (!('type' in shown)) return true
      if (shown.text === '') return false
      if (shown.type === 'url') return /^https?:\/\/./.test(shown.url)
      return shown.type === 'call' ? /^\+\d{5,20}$/.test(shown.phone) : shown.code !== ''
    })
  } catch {
    return false
  }
}

function eventView({
  eventMessage,
  protocolMessage: change,
}: proto.IMessage): Pick<MessageView, 'event' | 'changedEventId'> {
  const event = eventMessage ?? change?.editedMessage?.eventMessage
  if (!event) return {}
  const place = event.location?.name || event.location?.address
  return {
    event: {
      name: event.name ?? '',
      description: event.description ?? '',
      start: Number(event.startTime ?? 0),
      ...(event.endTime ? { end: Number(event.endTime) } : {}),
      ...(place ? { place } : {}),
      isCanceled: event.isCanceled === true,
    },
    ...(eventMessage ? {} : { changedEventId: change?.key?.id ?? '' }),
  }
}

const ANSWERS = ['unknown', 'going', 'not_going', 'maybe']

/** Only an answer that the phone could read. */
function answerView({ encEventResponseMessage: answer }: proto.IMessage): Pick<MessageView, 'eventAnswer'> {
  if (!answer || answer.encIv?.length) return {}
  const { response } = proto.Message.EventResponseMessage.decode(answer.encPayload ?? new Uint8Array(0))
  return { eventAnswer: { id: answer.eventCreationMessageKey?.id ?? '', answer: ANSWERS[response ?? 0] ?? 'unknown' } }
}

const { MEDIA_ALBUM } = proto.MessageAssociation.AssociationType

function albumView({ albumMessage }: proto.IMessage, message: proto.IMessage): Pick<MessageView, 'album' | 'albumId'> {
  const { associationType, parentMessageKey } = message.messageContextInfo?.messageAssociation ?? {}
  const albumId = associationType === MEDIA_ALBUM ? parentMessageKey?.id : undefined
  if (albumId) return { albumId }
  if (!albumMessage) return {}
  return { album: { images: albumMessage.expectedImageCount ?? 0, videos: albumMessage.expectedVideoCount ?? 0 } }
}

function actView(content: proto.IMessage, message: proto.IMessage): Pick<MessageView, 'pin' | 'keep'> {
  const { pinInChatMessage: pin, keepInChatMessage: keep } = content
  if (pin) {
    const isOn = pin.type === proto.Message.PinInChatMessage.Type.PIN_FOR_ALL
    const seconds = isOn ? (message.messageContextInfo?.messageAddOnDurationInSecs ?? 0) : 0
    return { pin: { id: pin.key?.id ?? '', seconds } }
  }
  if (!keep) return {}
  return { keep: { id: keep.key?.id ?? '', kept: keep.keepType === proto.KeepType.KEEP_FOR_ALL } }
}

function references(content: proto.IMessage): Pick<MessageView, 'quotedId' | 'reactedId' | 'forwarded'> {
  const info = contextOf(content)
  const quoted = info?.stanzaId
  const reacted = content.reactionMessage?.key?.id
  return {
    ...(quoted ? { quotedId: quoted } : {}),
    ...(reacted ? { reactedId: reacted } : {}),
    ...(info?.isForwarded ? { forwarded: true } : {}),
  }
}

/** What the sender says of the message itself. */
export function contextOf(content: proto.IMessage): proto.IContextInfo | undefined {
  const inner = Object.values(content).find(value => (value as { contextInfo?: unknown } | null)?.contextInfo)
  return (inner as { contextInfo?: proto.IContextInfo } | undefined)?.contextInfo
}

import { conflicting, invalid, missing, text as texts } from './errors.ts'
import { jidKind, parseContact, parsePhone, parseRecipient } from './jid.ts'
import { mediaUrl } from './media.ts'
import type {
  Button,
  CalendarContent,
  CarouselCard,
  Content,
  EVENT_ANSWERS,
  MediaType,
  Outgoing,
  Quote,
} from './message.ts'
import type { Priority } from './pace.ts'

/** The body of a send, as its schema accepts it. */
export interface SendBody {
  session_id: string
  to: string
  text?: string
  mentions?: string[]
  link_preview?: boolean | { image_url?: string; image_media_id?: string }
  media_type?: MediaType
  media_url?: string
  media_id?: string
  filename?: string
  view_once?: boolean
  reacted_message_id?: string
  reacted_participant?: string
  location?: { latitude: number; longitude: number; name?: string; address?: string }
  contacts?: Array<{ name: string; phone: string }>
  poll?: { name: string; options: string[]; selectable_count?: number }
  buttons?: ButtonBody[]
  carousel?: CardBody[]
  list?: { title?: string; button_text: string; sections: Array<{ title?: string; rows: ListRow[] }> }
  footer?: string
  event?: EventBody
  event_change?: EventBody & { message_id: string; canceled?: boolean }
  event_answer?: { message_id: string; participant?: string; answer: (typeof EVENT_ANSWERS)[number] }
  album?: { images?: number; videos?: number }
  album_message_id?: string
  forward_message_id?: string
  forwarded?: boolean
  pin?: { message_id: string; participant?: string; duration?: PinDuration }
  keep?: { message_id: string; participant?: string; kept?: boolean }
  quoted_message_id?: string
  quoted_participant?: string
  quoted_text?: string
  typing_ms?: number
  priority?: Priority
  audience?: string[]
  send_at?: string
}

interface ListRow {
  id: string
  title: string
  description?: string
}

interface ButtonBody {
  type?: NonNullable<Button['type']>
  text: string
  id?: string
  url?: string
  phone?: string
  code?: string
}

interface CardBody {
  title?: string
  text: string
  media_url?: string
  media_id?: string
  buttons: ButtonBody[]
}

interface EventBody {
  name: string
  description?: string
  start: string
  end?: string
  location?: { name: string; address?: string; latitude?: number; longitude?: number }
}

const DAY_S = 86_400

/** The times that the platform's apps offer. */
export const PIN_SECONDS = { '24h': DAY_S, '7d': 7 * DAY_S, '30d': 30 * DAY_S, none: 0 } as const
export type PinDuration = keyof typeof PIN_SECONDS

const MAX_AHEAD_MS = 30 * DAY_S * 1000

/** Buttons that are no replies. */
const MOST_LINKS = 3
/** More than people choose at once in the platform's apps. */
export const MOST_IN_ALBUM = 100

type ContentName =
  | 'media'
  | 'reaction'
  | 'location'
  | 'contacts'
  | 'poll'
  | 'buttons'
  | 'carousel'
  | 'list'
  | 'event'
  | 'event_change'
  | 'event_answer'
  | 'album'
  | 'forward'
  | 'pin'
  | 'keep'
  | 'text'

/** The field that selects each content. */
const FIELD_OF: Record<ContentName, keyof SendBody> = {
  media: 'media_type',
  reaction: 'reacted_message_id',
  location: 'location',
  contacts: 'contacts',
  poll: 'poll',
  buttons: 'buttons',
  carousel: 'carousel',
  list: 'list',
  event: 'event',
  event_change: 'event_change',
  event_answer: 'event_answer',
  album: 'album',
  forward: 'forward_message_id',
  pin: 'pin',
  keep: 'keep',
  text: 'text',
}

/** Every content but text and media: the field that selects it does nothing else. */
const SELECTED = Object.entries(FIELD_OF).filter(([name]) => name !== 'text' && name !== 'media') as Array<
  [ContentName, keyof SendBody]
>

/** The fields that each content may have besides the one that selects it. */
const BELONGS: Array<[keyof SendBody, ContentName[]]> = [
  ['mentions', ['text', 'media']],
  ['link_preview', ['text']],
  ['filename', ['media']],
  ['view_once', ['media']],
  ['reacted_participant', ['reaction']],
  ['footer', ['buttons', 'list', 'carousel']],
  ['album_message_id', ['media']],
  ['forwarded', ['text', 'media', 'location', 'contacts', 'poll']],
  ['audience', ['text', 'media', 'location', 'contacts', 'poll']],
]

/** Contents that take no quote: they are acts on another message, or no bubble of their own. */
const UNQUOTED: ReadonlySet<ContentName> = new Set(['forward', 'pin', 'keep', 'album', 'event_change', 'event_answer'])

/** The one content that a send carries; throws an error that names what is missing, doubled or out of place. */
export function composeOutgoing(body: SendBody): Outgoing {
  const name = contentName(body)
  for (const [field, contents] of BELONGS) {
    if (body[field] !== undefined && !contents.includes(name))
      throw conflicting(`${field} does not go with ${name}`, field)
  }
  if (UNQUOTED.has(name) && body.quoted_message_id !== undefined)
    throw conflicting(`quoted_message_id does not go with ${name}`, 'quoted_message_id')
  if (body.forwarded === true && body.view_once === true)
    throw conflicting('forwarded does not go with view_once', 'forwarded')
  const typingMs = body.typing_ms ?? 0
  const audience = body.audience?.map(person => parseContact('audience', person))
  return {
    content: composeContent(name, body),
    quote: composeQuote(body),
    ...(body.forwarded === true && { isForwarded: true }),
    ...(typingMs > 0 && { typingMs }),
    ...(audience && { audience: [...new Set(audience)] }),
  }
}

function contentName(body: SendBody): ContentName {
  if (body.media_id !== undefined) {
    if (body.media_url !== undefined)
      throw conflicting('media_id does not go with media_url: give one of them', 'media_id')
    if (body.media_type === undefined) throw missing('media_type is required with media_id', 'media_type')
  } else if ((body.media_type === undefined) !== (body.media_url === undefined))
    throw conflicting(texts.mediaTogether, body.media_type === undefined ? 'media_type' : 'media_url')
  const named: ContentName[] = []
  if (body.media_type !== undefined) named.push('media')
  for (const [name, field] of SELECTED) if (body[field] !== undefined) named.push(name)
  if (named.length > 1)
    throw conflicting(`only one content can be sent at a time: got ${named.join(' and ')}`, FIELD_OF[named[1]!])
  if (named.length === 1) return named[0]!
  if (body.text !== undefined) return 'text'
  throw missing(
    'text is required, or one of media_url, media_id, reacted_message_id, location, contacts, poll, buttons, carousel, list, event, event_change, event_answer, album, forward_message_id, pin, keep',
    'text',
  )
}

function composeContent(name: ContentName, body: SendBody): Content {
  switch (name) {
    case 'text':
      return {
        type: 'text',
        text: requiredText(body),
        mentions: mentions(body),
        ...composePreview(body),
      }
    case 'media':
      return {
        type: 'media',
        mediaType: body.media_type!,
        url: body.media_id === undefined ? body.media_url! : mediaUrl(body.media_id),
        caption: body.text ?? '',
        mentions: mentions(body),
        filename: body.filename ?? null,
        viewOnce: body.view_once ?? false,
        ...albumOf(body),
      }
    case 'reaction':
      return composeReaction(body)
    case 'location':
      rejectText(body, name)
      return { type: 'location', name: '', address: '', ...body.location! }
    case 'contacts':
      rejectText(body, name)
      return {
        type: 'contacts',
        contacts: body.contacts!.map(contact => ({ ...contact, phone: contactPhone(contact.phone) })),
      }
    case 'poll':
      rejectText(body, name)
      return composePoll(body.poll!)
    case 'buttons':
      return {
        type: 'buttons',
        text: requiredText(body),
        footer: body.footer ?? '',
        buttons: composeButtons('buttons', body.buttons!),
      }
    case 'carousel':
      return {
        type: 'carousel',
        text: requiredText(body),
        footer: body.footer ?? '',
        cards: composeCards(body.carousel!),
      }
    case 'list':
      return composeList(body)
    case 'event':
      rejectText(body, name)
      return { type: 'event', ...calendarContent('event', body.event!) }
    case 'event_change': {
      rejectText(body, name)
      const { message_id: messageId, canceled = false, ...event } = body.event_change!
      return { type: 'event_change', messageId, isCanceled: canceled, ...calendarContent('event_change', event) }
    }
    case 'event_answer': {
      rejectText(body, name)
      const { message_id: messageId, participant, answer } = body.event_answer!
      return { type: 'event_answer', messageId, participant: author('event_answer', participant), answer }
    }
    case 'album':
      rejectText(body, name)
      return composeAlbum(body.album!)
    case 'forward':
      rejectText(body, name)
      return { type: 'forward', messageId: body.forward_message_id! }
    case 'pin': {
      rejectText(body, name)
      const { message_id: messageId, participant, duration = '7d' } = body.pin!
      return { type: 'pin', messageId, participant: author('pin', participant), seconds: PIN_SECONDS[duration] }
    }
    case 'keep': {
      rejectText(body, name)
      const { message_id: messageId, participant, kept = true } = body.keep!
      return { type: 'keep', messageId, participant: author('keep', participant), isKept: kept }
    }
    default: {
      const never: never = name
      return never
    }
  }
}

/** The first link of a text, which its preview is of. */
export const linkIn = (text: string): string | undefined => /https?:\/\/[^\s<>"]+/.exec(text)?.[0]

function composePreview({ link_preview: preview = false, text = '' }: SendBody) {
  if (typeof preview === 'boolean') return { linkPreview: preview }
  const { image_url: url, image_media_id: id } = preview
  if ((url === undefined) === (id === undefined))
    throw conflicting('link_preview must have either image_url or image_media_id', 'link_preview')
  if (linkIn(text) === undefined) throw conflicting('link_preview needs a link in text', 'link_preview')
  return { linkPreview: true, previewImage: url ?? mediaUrl(id!) }
}

function requiredText(body: SendBody): string {
  if (body.text === undefined || body.text === '') throw missing('text must not be empty', 'text')
  return body.text
}

function rejectText(body: SendBody, name: string): void {
  if (body.text !== undefined) throw conflicting(`text does not go with ${name}`, 'text')
}

const mentions = (body: SendBody): string[] => (body.mentions ?? []).map(jid => parseContact('mentions', jid))

function composeReaction(body: SendBody): Content {
  if (body.text === undefined)
    throw missing('text is required with reacted_message_id: an emoji, or empty to remove it', 'text')
  return {
    type: 'reaction',
    emoji: body.text,
    reactedMessageId: body.reacted_message_id!,
    reactedParticipant:
      body.reacted_participant === undefined ? null : parseContact('reacted_participant', body.reacted_participant),
  }
}

const author = (act: string, jid: string | undefined): string | null =>
  jid === undefined ? null : parseContact(`${act}.participant`, jid)

function albumOf(body: SendBody): { album?: string } {
  if (body.album_message_id === undefined) return {}
  if (body.media_type !== 'image' && body.media_type !== 'video')
    throw conflicting('album_message_id is for an image or a video', 'album_message_id')
  if (body.view_once === true) throw conflicting('album_message_id does not go with view_once', 'album_message_id')
  return { album: body.album_message_id }
}

function composeAlbum({ images = 0, videos = 0 }: NonNullable<SendBody['album']>): Content {
  if (images + videos < 2) throw invalid('album must announce at least 2 images and videos', 'album')
  if (images + videos > MOST_IN_ALBUM)
    throw invalid(`album must announce at most ${MOST_IN_ALBUM} images and videos`, 'album')
  return { type: 'album', images, videos }
}

function composeCards(cards: readonly CardBody[]): CarouselCard[] {
  if (new Set(cards.map(hasPicture)).size > 1)
    throw conflicting('carousel: give all cards a picture, or none', 'carousel.media_id')
  return cards.map(({ title = '', text, media_url: url, media_id: id, buttons }) => {
    if (url !== undefined && id !== undefined)
      throw conflicting('carousel.media_id does not go with carousel.media_url', 'carousel.media_id')
    const picture = id === undefined ? (url ?? null) : mediaUrl(id)
    return { title, text, picture, buttons: composeButtons('carousel.buttons', buttons) }
  })
}

const hasPicture = (card: CardBody): boolean => card.media_url !== undefined || card.media_id !== undefined

/** What each kind of button needs besides its text. */
const BUTTON_FIELDS = { reply: 'id', url: 'url', call: 'phone', copy: 'code' } as const

/** `field` is the one of the body that has the buttons. */
function composeButtons(field: string, buttons: readonly ButtonBody[]): Button[] {
  const links = buttons.filter(({ type = 'reply' }) => type !== 'reply')
  if (links.length > MOST_LINKS)
    throw invalid(`${field} must have at most ${MOST_LINKS} of the types url, call and copy`, field)
  return buttons.map(button => composeButton(field, button))
}

function composeButton(field: string, button: ButtonBody): Button {
  const { type = 'reply', text } = button
  const needed = BUTTON_FIELDS[type]
  for (const name of Object.values(BUTTON_FIELDS)) {
    if (name !== needed && button[name] !== undefined)
      throw conflicting(`${field}.${name} does not go with a button of type ${type}`, `${field}.${name}`)
  }
  const value = button[needed]
  if (value === undefined)
    throw missing(`${field}.${needed} is required for a button of type ${type}`, `${field}.${needed}`)
  switch (type) {
    case 'reply':
      return { id: value, text }
    case 'url':
      return { type, text, url: linkOf(`${field}.url`, value) }
    case 'call':
      return { type, text, phone: parsePhone(`${field}.phone`, value) }
    case 'copy':
      return { type, text, code: value }
    default: {
      const never: never = type
      return never
    }
  }
}

/** Phones open nothing else. */
function linkOf(field: string, url: string): string {
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined
  if (protocol !== 'https:' && protocol !== 'http:')
    throw invalid(`${field} must be a URL that begins with https:// or http://`, field)
  return url
}

/** `field` is the one of the body that has the event. */
function calendarContent(field: string, { name, description = '', start, end, location }: EventBody): CalendarContent {
  const startMs = timeOf(`${field}.start`, start)
  const endMs = end === undefined ? null : timeOf(`${field}.end`, end)
  if (endMs !== null && endMs <= startMs) throw invalid(`${field}.end must be after ${field}.start`, `${field}.end`)
  if (location && (location.latitude === undefined) !== (location.longitude === undefined))
    throw conflicting(
      `${field}.location.latitude and ${field}.location.longitude are required together`,
      `${field}.location.${location.latitude === undefined ? 'latitude' : 'longitude'}`,
    )
  return { name, description, startMs, endMs, location: location ? { address: '', ...location } : null }
}

function contactPhone(phone: string): string {
  const jid = parseContact('contacts.phone', phone)
  if (jidKind(jid) !== 'user') throw invalid('contacts.phone must be a phone number', 'contacts.phone')
  return jid.split('@')[0]!
}

function composePoll(poll: NonNullable<SendBody['poll']>): Content {
  if (new Set(poll.options).size !== poll.options.length)
    throw invalid('poll.options must differ from each other', 'poll.options')
  const selectableCount = poll.selectable_count ?? 1
  if (selectableCount > poll.options.length)
    throw invalid('poll.selectable_count must not be more than the number of options', 'poll.selectable_count')
  return { type: 'poll', name: poll.name, options: poll.options, selectableCount }
}

function composeList(body: SendBody): Content {
  const list = body.list!
  const ids = list.sections.flatMap(section => section.rows.map(row => row.id))
  if (new Set(ids).size !== ids.length)
    throw invalid('list.sections.rows.id must differ from each other', 'list.sections.rows.id')
  return {
    type: 'list',
    text: requiredText(body),
    footer: body.footer ?? '',
    title: list.title ?? '',
    buttonText: list.button_text,
    sections: list.sections.map(section => ({
      title: section.title ?? '',
      rows: section.rows.map(row => ({ id: row.id, title: row.title, description: row.description ?? '' })),
    })),
  }
}

function composeQuote(body: SendBody): Quote | null {
  if (body.quoted_message_id === undefined) {
    if (body.quoted_participant !== undefined || body.quoted_text !== undefined) {
      throw missing('quoted_message_id is required with quoted_participant and quoted_text', 'quoted_message_id')
    }
    return null
  }
  return {
    messageId: body.quoted_message_id,
    participant:
      body.quoted_participant === undefined ? null : parseRecipient('quoted_participant', body.quoted_participant),
    text: body.quoted_text ?? '',
  }
}

/** When to send: `null` for now. A time in the past means now, so that a retry is never rejected for being late. */
export function composeSendAt(sendAt: string | undefined, nowMs: number): number | null {
  if (sendAt === undefined) return null
  const ms = timeOf('send_at', sendAt)
  if (ms > nowMs + MAX_AHEAD_MS) throw invalid('send_at must be at most 30 days ahead', 'send_at')
  return ms <= nowMs ? null : ms
}

function timeOf(field: string, text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (Number.isNaN(ms))
    throw invalid(`${field} must be an ISO 8601 time with a zone, such as 2026-01-31T12:00:00Z`, field)
  return ms
}

import { Type } from '../type.ts'
import { MOST_IN_ALBUM, PIN_SECONDS, type PinDuration, type SendBody } from '../../domain/compose.ts'
import { BUTTON_TYPES, EVENT_ANSWERS, MEDIA_TYPES } from '../../domain/message.ts'
import { MAX_TYPING_MS, PRIORITIES } from '../../domain/pace.ts'
import { OneOf, Strict } from '../schemas.ts'
import { compileValidator } from '../validate.ts'

const short = (max: number, description?: string) =>
  Type.String({ maxLength: max, ...(description === undefined ? {} : { description }) })
const named = (max: number) => Type.String({ minLength: 1, maxLength: max })

const Location = Strict({
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
  name: Type.Optional(short(1000)),
  address: Type.Optional(short(1000)),
})

const Poll = Strict({
  name: named(255),
  options: Type.Array(named(100), { minItems: 2, maxItems: 12 }),
  selectable_count: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 12,
      default: 1,
      description: 'How many options a person may choose: 1 is single choice, 0 is unlimited.',
    }),
  ),
})

const List = Strict({
  title: Type.Optional(short(60)),
  button_text: named(20),
  sections: Type.Array(
    Strict({
      title: Type.Optional(short(24)),
      rows: Type.Array(Strict({ id: named(200), title: named(24), description: Type.Optional(short(72)) }), {
        minItems: 1,
        maxItems: 10,
      }),
    }),
    { minItems: 1, maxItems: 10 },
  ),
})

const PreviewPicture = Strict({
  image_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'The URL from which the gateway fetches the picture.',
    }),
  ),
  image_media_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'A picture that you uploaded with POST /v1/media.',
    }),
  ),
})

const Button = Strict({
  type: Type.Optional(
    OneOf(BUTTON_TYPES, {
      default: 'reply',
      description:
        'What the button does: it answers you (`reply`), opens a URL, calls a number, or copies a code. A message, or a card of a carousel, has at most 3 of the types url, call and copy.',
    }),
  ),
  text: named(25),
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'For `reply`: the answer carries it.' })),
  url: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2000, description: 'For `url`: begins with https:// or http://.' }),
  ),
  phone: Type.Optional(
    Type.String({ minLength: 1, maxLength: 40, description: 'For `call`: a phone number with its country code.' }),
  ),
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'For `copy`: what is copied.' })),
})

const Card = Strict({
  title: Type.Optional(short(60)),
  text: named(1024),
  media_url: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4096, description: 'The URL from which the gateway fetches the picture.' }),
  ),
  media_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'A picture that you uploaded with POST /v1/media.' }),
  ),
  buttons: Type.Array(Button, { minItems: 1, maxItems: 3 }),
})

const calendarFields = {
  name: named(100),
  description: Type.Optional(short(2048)),
  start: Type.String({ maxLength: 40, description: 'ISO 8601 with a zone.' }),
  end: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601 with a zone, after `start`.' })),
  location: Type.Optional(
    Strict({
      name: named(1000),
      address: Type.Optional(short(1000)),
      latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
      longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
    }),
  ),
}

const CalendarEvent = Strict(calendarFields)

const inAlbum = (what: string) =>
  Type.Optional(
    Type.Integer({ minimum: 0, maximum: MOST_IN_ALBUM, default: 0, description: `How many ${what} follow.` }),
  )

/** The message that an act is about. */
const target = {
  message_id: Type.String({
    minLength: 1,
    maxLength: 255,
    description:
      'A message of the chat: the `message_id` of one that you received, or the `msg_…` of one that you sent.',
  }),
  participant: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The author, in a group, if the gateway has not seen the message.',
    }),
  ),
}

const Pin = Strict({
  ...target,
  duration: Type.Optional(
    OneOf(Object.keys(PIN_SECONDS) as PinDuration[], {
      default: '7d',
      description: 'For how long it is pinned. `none` unpins it.',
    }),
  ),
})

const EventChange = Strict(
  {
    message_id: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The `msg_…` of an event that this number sent to the same recipient within the last 90 days.',
    }),
    ...calendarFields,
    canceled: Type.Optional(Type.Boolean({ default: false, description: 'The event does not take place.' })),
  },
  { description: 'Changes or cancels an event: everything that the event has from now on.' },
)

const EventAnswer = Strict(
  {
    ...target,
    answer: OneOf(EVENT_ANSWERS),
  },
  { description: 'Answers an event that this number received within the last 90 days. The last answer counts.' },
)

const Keep = Strict({
  ...target,
  kept: Type.Optional(
    Type.Boolean({ default: true, description: 'False lets the message disappear again when its time is over.' }),
  ),
})

/** One content, and the fields that any content may have. */
const contentFields = {
  text: Type.Optional(
    short(65_536, 'The text, the caption of media, the emoji of a reaction, or the body above buttons and lists.'),
  ),
  mentions: Type.Optional(Type.Array(named(100), { maxItems: 1000 })),
  link_preview: Type.Optional(
    Type.Union([Type.Boolean(), PreviewPicture], {
      description:
        'Whether the first link of the text has a preview with the title and description of its page. An object adds a large picture: `image_url` or `image_media_id`.',
    }),
  ),
  media_type: Type.Optional(OneOf(MEDIA_TYPES)),
  media_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description:
        'The URL from which the gateway fetches the file. A sandbox number also accepts a `media_url` from POST /sandbox/media.',
    }),
  ),
  media_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'A file that you uploaded with POST /v1/media, or that a number received, instead of `media_url`. A document may have up to 2 GiB, every other type up to 64 MiB.',
      examples: ['med_01jd3kqv5m2x7n8p9r0s1t2v3w'],
    }),
  ),
  filename: Type.Optional(named(255)),
  view_once: Type.Optional(Type.Boolean()),
  reacted_message_id: Type.Optional(named(255)),
  reacted_participant: Type.Optional(named(100)),
  location: Type.Optional(Location),
  contacts: Type.Optional(Type.Array(Strict({ name: named(255), phone: named(40) }), { minItems: 1, maxItems: 50 })),
  poll: Type.Optional(Poll),
  buttons: Type.Optional(Type.Array(Button, { minItems: 1, maxItems: 10 })),
  carousel: Type.Optional(
    Type.Array(Card, {
      minItems: 2,
      maxItems: 10,
      description: 'Cards that people swipe through. All of them have a picture, or none.',
    }),
  ),
  list: Type.Optional(List),
  footer: Type.Optional(short(60)),
  event: Type.Optional(CalendarEvent),
  event_change: Type.Optional(EventChange),
  event_answer: Type.Optional(EventAnswer),
  album: Type.Optional(
    Strict(
      { images: inAlbum('images'), videos: inAlbum('videos') },
      { description: 'Announces an album of 2 to 100 files, which follow as messages of their own.' },
    ),
  ),
  album_message_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'For an image or a video: the `msg_…` of the album to the same recipient that it belongs to.',
    }),
  ),
  forward_message_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'A message that this number sent within the last 7 days: its `msg_…` or its id on the platform. It is sent again, marked as forwarded. The gateway keeps no content of received messages: send their content with `forwarded`.',
    }),
  ),
  forwarded: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Marks a text, media, a location, contacts or a poll as forwarded.',
    }),
  ),
  pin: Type.Optional(Pin),
  keep: Type.Optional(Keep),
  quoted_message_id: Type.Optional(named(255)),
  quoted_participant: Type.Optional(named(100)),
  quoted_text: Type.Optional(short(65_536)),
  typing_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_TYPING_MS,
      default: 0,
      description:
        'For how long the chat shows that the number is typing, or recording for a voice message, before the message is sent.',
    }),
  ),
  audience: Type.Optional(
    Type.Array(named(100), {
      minItems: 1,
      maxItems: 1000,
      description:
        'Who sees a post to `status@broadcast`: JIDs or phone numbers. Without it, the people whom the owner has chosen on the phone, of those that the number has written to.',
    }),
  ),
  priority: Type.Optional(
    OneOf(PRIORITIES, {
      default: 'normal',
      description:
        '`high` sends the message before waiting messages of the number to other chats. Messages to the same chat keep their order.',
    }),
  ),
  send_at: Type.Optional(
    Type.String({ maxLength: 40, description: 'When to send the message: ISO 8601, at most 30 days ahead.' }),
  ),
}

/** The body of POST /v1/messages. */
export const SendBodySchema = Strict({
  session_id: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The number that sends, with or without its device number.',
  }),
  to: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'A JID, or a phone number in digits with optional +, spaces and dashes.',
  }),
  ...contentFields,
})

const checkReplyBody = compileValidator(Strict(contentFields), 'body')

/** What an endpoint answers a message with: the number and the chat are those of the message. Throws a 400 otherwise. */
export function parseReply(value: unknown): Omit<SendBody, 'session_id' | 'to'> {
  checkReplyBody(value)
  return value as Omit<SendBody, 'session_id' | 'to'>
}

import { Type } from '../type.ts'
import { MEDIA_TYPES } from '../../domain/message.ts'
import { MAX_TYPING_MS, PRIORITIES } from '../../domain/pace.ts'
import { OneOf, Strict } from '../schemas.ts'

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

/** The body of POST /v1/messages: one content, and the fields that any content may have. */
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
  buttons: Type.Optional(Type.Array(Strict({ id: named(200), text: named(25) }), { minItems: 1, maxItems: 10 })),
  list: Type.Optional(List),
  footer: Type.Optional(short(60)),
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
})

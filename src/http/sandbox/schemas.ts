import { Type } from '../type.ts'
import { HIDDEN_PARTS } from '../../domain/contact.ts'
import { SANDBOX_ACTIONS, SANDBOX_MESSAGE_TYPES, SANDBOX_WITHHELD } from '../../domain/sandbox.ts'
import { Nullable, OneOf, pageQuery, Strict, upTo } from '../schemas.ts'

/** The simulated network keeps a generated file in memory. */
const MAX_MEDIA_BYTES = 16 * 1_048_576

const Id = Type.String({ minLength: 1, maxLength: 100 })
const Contact = Type.String({ minLength: 5, maxLength: 100, description: 'The contact: any digits or a JID.' })
const Group = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    'The JID of a group of the number, or a name. The sandbox creates a group of that name if there is none.',
})
const Text = Type.String({ maxLength: 65_536 })
const optional = Type.Optional

const Pressed = Type.String({ maxLength: 256 })
export const ButtonResponse = Strict({
  selected_id: optional(Pressed),
  selected_text: optional(Pressed),
  params_json: optional(Type.String({ maxLength: 4096, description: 'The response to a native flow.' })),
  id: optional({ ...Pressed, description: 'The same as selected_id.' }),
  text: optional({ ...Pressed, description: 'The same as selected_text.' }),
})

export const IncomingBody = Strict({
  from: Contact,
  from_name: optional(Type.String({ maxLength: 100, description: 'The name that the contact shows.' })),
  group: optional(Group),
  broadcast: optional(Type.Boolean({ description: 'Whether the contact posts a Status instead of a message.' })),
  type: OneOf(SANDBOX_MESSAGE_TYPES),
  text: optional(Text),
  media: optional(
    Strict({
      mimetype: optional(Type.String({ minLength: 1, maxLength: 100 })),
      filename: optional(Type.String({ minLength: 1, maxLength: 255 })),
      data: optional(Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$', description: 'The file in base64.' })),
      size: optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_MEDIA_BYTES,
          description: 'If you give no data, the sandbox generates a file of this size.',
        }),
      ),
    }),
  ),
  location: optional(
    Strict({
      latitude: Type.Number({ minimum: -90, maximum: 90 }),
      longitude: Type.Number({ minimum: -180, maximum: 180 }),
      name: optional(Text),
      address: optional(Text),
    }),
  ),
  poll: optional(
    Strict({
      name: Type.String({ minLength: 1, maxLength: 255 }),
      options: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 2, maxItems: 12 }),
      selectable_count: optional(Type.Integer({ minimum: 0, maximum: 12 })),
    }),
  ),
  button_response: optional(ButtonResponse),
  quoted_message_id: optional(Id),
  reacted_message_id: optional(Id),
  edited_message_id: optional(Id),
  revoked_message_id: optional(Id),
  view_once: optional(Type.Boolean()),
  withheld: optional(
    OneOf(SANDBOX_WITHHELD, {
      description:
        'The gateway receives a placeholder for the message. The phone of the number has the original, and the gateway can request it.',
    }),
  ),
})

export const ActionBody = Strict({
  action: OneOf(SANDBOX_ACTIONS),
  from: optional(Contact),
  group: optional(Group),
  message_id: optional({ ...Id, description: 'read, play: the message. vote: the poll.' }),
  typing: optional(Type.Boolean({ description: 'typing: false stops the indicator.' })),
  media: optional(
    OneOf(['text', 'audio'] as const, { description: 'typing: audio shows that the contact records a voice message.' }),
  ),
  enabled: optional(
    Type.Boolean({
      description: 'read_receipts: whether the contact reads the messages that it receives. The default is true.',
    }),
  ),
  online: optional(Type.Boolean({ description: 'presence: whether the contact is online. The default is true.' })),
  last_seen_unix: optional(
    Nullable(Type.Integer({ minimum: 0, description: 'presence: when the contact was last online. null hides it.' })),
  ),
  video: optional(Type.Boolean({ description: 'call: whether it is a video call.' })),
  event: optional(OneOf(['offer', 'terminate'] as const, { description: 'call: the default is offer.' })),
  call_id: optional({ ...Id, description: 'call: the id of the call that terminates.' }),
  reason: optional(Type.String({ maxLength: 50, description: 'call: why the call terminates.' })),
  about: optional(Type.String({ maxLength: 139, description: 'profile: the about of the contact. Empty removes it.' })),
  picture: optional(
    Type.String({
      maxLength: 40_000,
      pattern: '^[A-Za-z0-9+/]*={0,2}$',
      description: 'profile: the picture of the contact, a JPEG in base64. Empty removes it.',
    }),
  ),
  hidden: optional(
    Type.Array(OneOf(HIDDEN_PARTS), { maxItems: 2, description: 'profile: what the contact hides from the number.' }),
  ),
  options: optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 12,
      description: 'vote: the texts of the chosen options. An empty list withdraws the vote.',
    }),
  ),
  newsletter: optional({ ...Id, description: 'newsletter_post: a channel that the number follows or manages.' }),
  name: optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'newsletter_post: the name of the channel. The sandbox creates the channel if there is none. profile: the name of the contact.',
    }),
  ),
  managed: optional(Type.Boolean({ description: 'newsletter_post: whether the number manages the channel.' })),
  text: optional(Text),
  seconds: optional(
    Type.Number({
      minimum: 0,
      maximum: 3600,
      description: 'drop: how long logins fail. fail_next: the delay of a slow acknowledgement.',
    }),
  ),
  ack: optional(
    OneOf(['withheld', 'rejected', 'slow'] as const, {
      description: 'fail_next: what happens to the acknowledgement. The default is withheld.',
    }),
  ),
  code: optional(
    Type.Integer({ minimum: 400, maximum: 599, description: 'fail_next: the error code of a rejection.' }),
  ),
  times: optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'fail_next: how many messages it affects.' })),
})

export const MessagesQuery = Strict({
  ...pageQuery,
  contact: optional({ ...Contact, description: 'Only messages on the phone of this contact.' }),
  include_media: optional(
    Type.Boolean({
      description: 'Whether the response has the decrypted files, newest first, up to 1 MiB each and 2 MiB together.',
    }),
  ),
})

const ShownButton = Strict({
  type: optional(OneOf(['url', 'call', 'copy'] as const, { description: 'Absent if the button answers.' })),
  id: optional(Type.String({ description: 'Of a button that answers.' })),
  text: Type.String(),
  url: optional(Type.String()),
  phone: optional(Type.String()),
  code: optional(Type.String()),
})

export const Held = Strict({
  message_id: Type.String(),
  contact: Type.String({ description: 'The contact whose phone has the message.' }),
  chat_jid: Type.String({ description: 'The contact or the group.' }),
  from: Type.String(),
  from_me: Type.Boolean({ description: 'Whether the contact wrote it.' }),
  type: Type.String(),
  text: Type.String(),
  timestamp_unix: Type.Integer(),
  status: OneOf(['sent', 'delivered', 'read', 'played'] as const),
  copies: Type.Integer({ description: 'How often the phone received the message.' }),
  media: optional(
    Strict({
      mimetype: Type.String(),
      filename: optional(Type.String()),
      file_length: Type.Integer(),
      data: optional(Type.String()),
      data_omitted: optional(
        Type.Boolean({
          description: 'true if the file did not fit into the response. Request a page that begins with this message.',
        }),
      ),
    }),
  ),
  location: optional(
    Strict({ latitude: Type.Number(), longitude: Type.Number(), name: Type.String(), address: Type.String() }),
  ),
  poll: optional(Strict({ name: Type.String(), options: upTo(100, Type.String()), selectable_count: Type.Integer() })),
  buttons: optional(upTo(100, ShownButton)),
  cards: optional(
    upTo(
      10,
      Strict({
        title: Type.String(),
        text: Type.String(),
        has_picture: Type.Boolean(),
        buttons: upTo(3, ShownButton),
      }),
      'Of a message of type `carousel`.',
    ),
  ),
  event: optional(
    Strict({
      name: Type.String(),
      description: Type.String(),
      start_unix: Type.Integer(),
      end_unix: optional(Type.Integer()),
      place: optional(Type.String()),
      canceled: Type.Boolean(),
    }),
  ),
  changed_event_id: optional(
    Type.String({ description: 'Of a message of type `event_change`: the event that is as in `event` from now on.' }),
  ),
  answered_event_id: optional(Type.String({ description: 'Of a message of type `event_answer`.' })),
  event_answer: optional(Type.String({ description: '`going`, `not_going` or `maybe`.' })),
  album: optional(Strict({ images: Type.Integer(), videos: Type.Integer() })),
  album_message_id: optional(Type.String({ description: 'The album that an image or a video belongs to.' })),
  forwarded: optional(Type.Boolean({ description: 'Whether the phone shows it as forwarded.' })),
  quoted_message_id: optional(Type.String()),
  reacted_message_id: optional(Type.String()),
  pinned_message_id: optional(Type.String({ description: 'Of a message of type `pin`: what it pins or unpins.' })),
  pin_seconds: optional(Type.Integer({ description: 'For how long. 0 unpins it.' })),
  kept_message_id: optional(
    Type.String({ description: 'Of a message of type `keep`: what it keeps, or lets disappear.' }),
  ),
  kept: optional(Type.Boolean()),
})

import { Type } from 'typebox'
import { SANDBOX_ACTIONS, SANDBOX_MESSAGE_TYPES, SANDBOX_WITHHELD } from '../../domain/sandbox.ts'
import { Nullable, OneOf, pageQuery, Strict } from '../schemas.ts'

/** The simulated network keeps a generated file in memory. */
const MAX_MEDIA_BYTES = 16 * 1_048_576

const Id = Type.String({ minLength: 1, maxLength: 100 })
const Contact = Type.String({ minLength: 5, maxLength: 100, description: 'The contact: any digits, or a JID.' })
const Group = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The JID of a group that the number is in, or a name: a group of that name is made when there is none.',
})
const Text = Type.String({ maxLength: 65_536 })
const optional = Type.Optional

const Pressed = Type.String({ maxLength: 256 })
export const ButtonResponse = Strict({
  selected_id: optional(Pressed),
  selected_text: optional(Pressed),
  params_json: optional(Type.String({ maxLength: 4096, description: 'Given: the answer to a native flow.' })),
  id: optional({ ...Pressed, description: 'The same as selected_id.' }),
  text: optional({ ...Pressed, description: 'The same as selected_text.' }),
})

export const IncomingBody = Strict({
  from: Contact,
  from_name: optional(Type.String({ maxLength: 100, description: 'The name that the contact shows.' })),
  group: optional(Group),
  broadcast: optional(Type.Boolean({ description: 'As a Status post instead of a message.' })),
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
          description: 'Without data: a made-up file of this size.',
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
      description: 'The gateway gets a stub in its place. Its phone has a plain one, and can be asked for it.',
    }),
  ),
})

export const ActionBody = Strict({
  action: OneOf(SANDBOX_ACTIONS),
  from: optional(Contact),
  group: optional(Group),
  message_id: optional({ ...Id, description: 'read, play: one message; vote: the poll.' }),
  typing: optional(Type.Boolean({ description: 'typing: false stops.' })),
  media: optional(OneOf(['text', 'audio'] as const, { description: 'typing: audio records a voice message.' })),
  enabled: optional(Type.Boolean({ description: 'read_receipts: false receives without reading; default true.' })),
  online: optional(Type.Boolean({ description: 'presence: default true.' })),
  last_seen_unix: optional(Nullable(Type.Integer({ minimum: 0, description: 'presence: null hides it.' }))),
  video: optional(Type.Boolean({ description: 'call' })),
  event: optional(OneOf(['offer', 'terminate'] as const, { description: 'call: default offer.' })),
  call_id: optional({ ...Id, description: 'call: which one terminates.' }),
  reason: optional(Type.String({ maxLength: 50, description: 'call: why it terminates.' })),
  options: optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 12,
      description: 'vote: the chosen texts; none withdraws.',
    }),
  ),
  newsletter: optional({ ...Id, description: 'newsletter_post: a channel that the number follows or manages.' }),
  name: optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'newsletter_post: made when there is none.' }),
  ),
  managed: optional(Type.Boolean({ description: 'newsletter_post: the number manages the channel itself.' })),
  text: optional(Text),
  seconds: optional(
    Type.Number({ minimum: 0, maximum: 3600, description: 'drop: how long logins fail; fail_next: how slow.' }),
  ),
  ack: optional(OneOf(['withheld', 'rejected', 'slow'] as const, { description: 'fail_next: default withheld.' })),
  code: optional(Type.Integer({ minimum: 400, maximum: 599, description: 'fail_next: the error of a rejection.' })),
  times: optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'fail_next: for how many messages.' })),
})

export const MessagesQuery = Strict({
  ...pageQuery,
  contact: optional({ ...Contact, description: 'Only what this contact holds.' }),
  include_media: optional(
    Type.Boolean({
      description: 'With the files, up to 1 MiB each and 2 MiB together, the newest first, as the phone opens them.',
    }),
  ),
})

export const Held = Strict({
  message_id: Type.String(),
  contact: Type.String({ description: 'The phone that holds it.' }),
  chat_jid: Type.String({ description: 'The contact, or the group.' }),
  from: Type.String(),
  from_me: Type.Boolean({ description: 'Whether the contact wrote it.' }),
  type: Type.String(),
  text: Type.String(),
  timestamp_unix: Type.Integer(),
  status: OneOf(['sent', 'delivered', 'read', 'played'] as const),
  copies: Type.Integer({ description: 'How often it arrived.' }),
  media: optional(
    Strict({
      mimetype: Type.String(),
      filename: optional(Type.String()),
      file_length: Type.Integer(),
      data: optional(Type.String()),
      data_omitted: optional(
        Type.Boolean({ description: 'true: the answer had no room for the file; ask for a page that begins with it.' }),
      ),
    }),
  ),
  location: optional(
    Strict({ latitude: Type.Number(), longitude: Type.Number(), name: Type.String(), address: Type.String() }),
  ),
  poll: optional(Strict({ name: Type.String(), options: Type.Array(Type.String()), selectable_count: Type.Integer() })),
  buttons: optional(Type.Array(Strict({ id: Type.String(), text: Type.String() }))),
  quoted_message_id: optional(Type.String()),
  reacted_message_id: optional(Type.String()),
})

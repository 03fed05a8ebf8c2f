import type { Static, TSchema } from 'typebox'
import { Type } from '../type.ts'
import { type Category, categoryOf, type Event, type EventKind, INCOMING_TYPES } from '../../domain/event.ts'
import { OneOf, Strict } from '../schemas.ts'

const optional = Type.Optional
const text = (description: string) => Type.String({ description })
const kind = <K extends EventKind>(name: K) => Type.Unsafe<K>({ type: 'string', const: name })
const sessionId = text('JID of the number, without device number.')
const timestamp = Type.Integer({ minimum: 0, description: 'Unix seconds.' })

const Media = Strict({
  mimetype: Type.String(),
  extension: text('Without the dot.'),
  filename: optional(text('Only documents have it.')),
  file_length: Type.Integer({
    minimum: 0,
    description:
      'Bytes. The real size if the gateway downloaded the file, otherwise the size that the sender declared.',
  }),
  data: text('Standard base64. Empty if the gateway did not download the file.'),
  status: OneOf(['downloaded', 'too_large', 'error'] as const),
})

const message = Strict({
  kind: kind('message'),
  message_id: text('Use it, with session_id and chat_jid, to remove duplicates.'),
  session_id: sessionId,
  sender_jid: text('An @lid JID if the person hides their number, and in some groups.'),
  sender_phone: optional(text('The JID with the phone number, if the gateway knows it.')),
  sender_name: text('Empty if the sender has set no name.'),
  chat_jid: text('Equals sender_jid in a direct chat.'),
  is_group: Type.Boolean(),
  broadcast: Type.Boolean({ description: 'true for a Status (Story) post.' }),
  type: OneOf(INCOMING_TYPES),
  text: text('The body, caption, emoji, question or label, depending on the type.'),
  timestamp_unix: timestamp,
  media: optional(Media),
  location: optional(
    Strict({
      latitude: Type.Number({ minimum: -90, maximum: 90 }),
      longitude: Type.Number({ minimum: -180, maximum: 180 }),
      name: optional(Type.String()),
      address: optional(Type.String()),
    }),
  ),
  poll: optional(
    Strict({
      name: Type.String(),
      options: Type.Array(Type.String()),
      selectable_count: Type.Integer({
        minimum: 0,
        description: 'How many options a person may choose. 0 is unlimited.',
      }),
    }),
  ),
  button_response: optional(
    Strict({ selected_id: Type.String(), selected_text: Type.String(), params_json: optional(Type.String()) }),
  ),
  quoted_message_id: optional(Type.String()),
  quoted_participant: optional(Type.String()),
  quoted_text: optional(Type.String()),
  reacted_message_id: optional(Type.String()),
  edited_message_id: optional(text('The id of the message whose text this event replaces.')),
  revoked_message_id: optional(text('The id of the message that was deleted for everyone.')),
})

const receipt = Strict({
  kind: kind('receipt'),
  session_id: sessionId,
  request_id: text('The Idempotency-Key of the send.'),
  messenger_message_id: Type.String(),
  recipient_jid: Type.String(),
  receipt_type: OneOf(['delivered', 'read', 'played'] as const),
  timestamp_unix: timestamp,
})

const status = Strict({
  kind: kind('status'),
  session_id: sessionId,
  request_id: Type.String(),
  message_id: text('The id from the 202 response.'),
  messenger_message_id: optional(text('Present if the status is sent.')),
  to: Type.String(),
  status: OneOf(['sent', 'failed'] as const),
  reason: optional(OneOf(['INVALID_RECIPIENT', 'MEDIA_FAILED', 'SEND_FAILED', 'RETRIES_EXHAUSTED'] as const)),
  detail: optional(text('For people. Do not parse it.')),
  server_id: optional(Type.Integer({ description: 'Present for a channel that the number manages.' })),
  timestamp_unix: timestamp,
})

const connection = Strict({
  kind: kind('connection'),
  session_id: sessionId,
  event: OneOf(['connected', 'disconnected', 'logged_out'] as const),
  timestamp_unix: timestamp,
})

const pollVote = Strict({
  kind: kind('poll_vote'),
  session_id: sessionId,
  voter_jid: Type.String(),
  chat_jid: Type.String(),
  poll_message_id: Type.String(),
  poll_request_id: optional(text('Present for a poll that you sent through the gateway.')),
  selected_hashes: Type.Array(Type.String(), {
    description: 'Hex SHA-256 of each chosen option. Empty if the voter withdrew the vote.',
  }),
  timestamp_unix: timestamp,
})

const typing = Strict({
  kind: kind('typing'),
  session_id: sessionId,
  sender_jid: Type.String(),
  chat_jid: Type.String(),
  is_group: Type.Boolean(),
  typing: Type.Boolean(),
  media: OneOf(['text', 'audio'] as const),
})

const presence = Strict({
  kind: kind('presence'),
  session_id: sessionId,
  contact_jid: Type.String(),
  online: Type.Boolean(),
  last_seen_unix: Type.Integer({ minimum: 0, description: '0 if the contact is online or hides it.' }),
})

const call = Strict({
  kind: kind('call'),
  session_id: sessionId,
  call_id: Type.String(),
  from_jid: Type.String(),
  event: OneOf(['offer', 'terminate'] as const),
  video: Type.Boolean(),
  reason: optional(Type.String()),
  rejected: Type.Boolean({ description: 'Whether the gateway rejected the call automatically.' }),
  timestamp_unix: timestamp,
})

const newsletterMessage = Strict({
  kind: kind('newsletter_message'),
  session_id: sessionId,
  newsletter_jid: Type.String(),
  server_id: Type.Integer(),
  message_id: Type.String(),
  type: text('May be empty.'),
  text: text('Empty if the update has only ids.'),
  timestamp_unix: timestamp,
})

interface EventSchema {
  category: Category
  summary: string
  schema: TSchema
}

/** Each schema must match its event's type exactly; otherwise this does not compile. */
export const schemaOf = <K extends EventKind, S extends TSchema>(
  kind: K,
  summary: string,
  schema: Same<Static<S>, Extract<Event, { kind: K }>> extends true ? S : never,
): EventSchema => ({ category: categoryOf(kind), summary, schema })

/** One schema for each event kind of the specification, for the reference and for tests of deliveries. */
export const eventSchemas: Record<EventKind, EventSchema> = {
  message: schemaOf('message', 'A number received a message', message),
  receipt: schemaOf('receipt', 'A recipient received, read or played a message', receipt),
  status: schemaOf('status', 'A message was sent or failed permanently', status),
  connection: schemaOf('connection', "The number's connection changed", connection),
  poll_vote: schemaOf('poll_vote', 'A person voted in a poll', pollVote),
  typing: schemaOf('typing', 'A person started or stopped typing or recording', typing),
  presence: schemaOf('presence', 'A contact went online or offline', presence),
  call: schemaOf('call', 'A call was offered or ended', call),
  newsletter_message: schemaOf('newsletter_message', 'A followed channel has a new post', newsletterMessage),
}

/** The same fields, each written as one object, so that two types can be compared. */
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { [K in keyof T]: Plain<T[K]> }
    : T

type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** `true` if both have the same fields, of the same types, with the same ones optional. */
export type Same<A, B> = Identical<Plain<A>, Plain<B>>

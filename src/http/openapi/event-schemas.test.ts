import { Type } from '../type.ts'
import { expect, it } from 'vitest'
import type { WebhookEvent } from '../../../sdk/src/events.ts'
import type { Event, EventKind } from '../../domain/event.ts'
import { eventSchemas, schemaOf, type Same } from './event-schemas.ts'
import { OneOf, Strict } from '../schemas.ts'

const connection = {
  kind: Type.Unsafe<'connection'>({ type: 'string', const: 'connection' }),
  session_id: Type.String(),
  event: OneOf(['connected', 'disconnected', 'logged_out'] as const),
  timestamp_unix: Type.Integer(),
}

it('a schema that differs from its event in anything does not compile', () => {
  schemaOf('connection', 'the same', Strict(connection))
  // @ts-expect-error of another kind
  schemaOf('typing', '', Strict(connection))
  // @ts-expect-error a field more, though it may be left out
  schemaOf('connection', '', Strict({ ...connection, note: Type.Optional(Type.String()) }))
  // @ts-expect-error a field less
  schemaOf('connection', '', Strict({ kind: connection.kind, session_id: connection.session_id }))
  // @ts-expect-error may be left out
  schemaOf('connection', '', Strict({ ...connection, timestamp_unix: Type.Optional(Type.Integer()) }))
  // @ts-expect-error of another type
  schemaOf('connection', '', Strict({ ...connection, timestamp_unix: Type.String() }))
  // @ts-expect-error a value less
  schemaOf('connection', '', Strict({ ...connection, event: OneOf(['connected', 'disconnected'] as const) }))
})

it('the client library knows the same events', () => {
  const same: { [K in EventKind]: Same<Extract<WebhookEvent, { kind: K }>, Extract<Event, { kind: K }>> } = {
    message: true,
    receipt: true,
    status: true,
    connection: true,
    poll_vote: true,
    typing: true,
    presence: true,
    call: true,
    newsletter_message: true,
  }
  expect(Object.keys(same).sort()).toEqual(Object.keys(eventSchemas).sort())
})

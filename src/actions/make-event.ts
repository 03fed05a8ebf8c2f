import type { Context } from '../context.ts'
import { categoryOf, dedupeIdOf, type Event, historyTypeOf } from '../domain/event.ts'
import { makeId } from '../domain/ids.ts'
import { redact } from '../domain/redact.ts'
import type { NewEvent } from '../store/units/events.ts'
import { eventBytes } from './event-bytes.ts'

/** The row that a sealed payload belongs to. */
export const aboutEvent = (eventId: string): string => `event:${eventId}`

/** An event as it is stored. The bytes made here are the bytes that are signed and sent. */
export function makeEvent(parts: Pick<Context, 'seal'>, accountId: string, event: Event): NewEvent {
  const id = makeId('evt')
  const payload = eventBytes(event)
  return {
    id,
    accountId,
    sessionId: event.session_id,
    kind: event.kind,
    category: categoryOf(event.kind),
    historyType: historyTypeOf(event),
    dedupeId: dedupeIdOf(event, id),
    sealedPayload: parts.seal.seal(payload, aboutEvent(id)),
    redacted: JSON.stringify(redact(event)),
    bytes: payload.length,
  }
}

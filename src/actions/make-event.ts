import type { Context } from '../context.ts'
import { categoryOf, dedupeIdOf, type Event, historyTypeOf } from '../domain/event.ts'
import { makeId } from '../domain/ids.ts'
import { redact } from '../domain/redact.ts'
import { aboutEvent } from '../domain/sealed.ts'
import type { NewEvent } from '../store/events/events.ts'
import { eventChunks } from '../domain/event-bytes.ts'

/** An event in its stored form. The bytes made here are the bytes that are signed and sent. */
export function makeEvent({ seal }: Pick<Context, 'seal'>, accountId: string, event: Event): NewEvent {
  const id = makeId('evt')
  const payload = Buffer.from(JSON.stringify(event))
  return row(id, accountId, event, { sealed: seal.seal(payload, aboutEvent(id)), bytes: payload.length })
}

/** The same for an event that may carry a file: a large one is serialized in chunks, with the event loop free in between. */
export async function makeFileEvent(
  { seal }: Pick<Context, 'seal'>,
  accountId: string,
  event: Event,
): Promise<NewEvent> {
  const id = makeId('evt')
  const chunks = await eventChunks(event)
  const sealed = await seal.sealChunks(chunks, aboutEvent(id))
  return row(id, accountId, event, { sealed, bytes: chunks.reduce((sum, chunk) => sum + chunk.length, 0) })
}

function row(id: string, accountId: string, event: Event, payload: { sealed: Uint8Array; bytes: number }): NewEvent {
  return {
    id,
    accountId,
    sessionId: event.session_id,
    kind: event.kind,
    category: categoryOf(event.kind),
    historyType: historyTypeOf(event),
    dedupeId: dedupeIdOf(event, id),
    sealedPayload: payload.sealed,
    redacted: JSON.stringify(redact(event)),
    bytes: payload.bytes,
  }
}

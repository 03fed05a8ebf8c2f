import type { Context } from '../context.ts'
import { type AnyEvent, categoryOf, dedupeIdOf, historyTypeOf } from '../domain/event.ts'
import { makeId } from '../domain/ids.ts'
import { type ForEndpoints, wordsOf } from '../domain/include.ts'
import { redact } from '../domain/redact.ts'
import { aboutEvent, aboutExtras } from '../domain/sealed.ts'
import type { NewEvent, StoredExtras } from '../store/events/events.ts'
import { eventChunks } from '../domain/event-bytes.ts'

/** An event in its stored form. The bytes made here are the bytes that are signed and sent. */
export function makeEvent(
  { seal }: Pick<Context, 'seal'>,
  accountId: string,
  event: AnyEvent,
  forEndpoints?: ForEndpoints,
): NewEvent {
  const id = makeId('evt')
  const payload = Buffer.from(JSON.stringify(event))
  const stored = { sealed: seal.seal(payload, aboutEvent(id)), bytes: payload.length }
  return withFields({ seal }, row(id, accountId, event, stored), forEndpoints)
}

/** The same for an event that may carry a file: a large one is serialized in chunks, with the event loop free in between. */
export async function makeFileEvent(
  { seal }: Pick<Context, 'seal'>,
  accountId: string,
  event: AnyEvent,
  forEndpoints?: ForEndpoints,
): Promise<NewEvent> {
  const id = makeId('evt')
  const chunks = await eventChunks(event)
  const sealed = await seal.sealChunks(chunks, aboutEvent(id))
  const stored = { sealed, bytes: chunks.reduce((sum, chunk) => sum + chunk.length, 0) }
  return withFields({ seal }, row(id, accountId, event, stored), forEndpoints)
}

const withFields = (deps: Pick<Context, 'seal'>, made: NewEvent, forEndpoints: ForEndpoints | undefined): NewEvent =>
  forEndpoints === undefined ? made : { ...made, ...storedFor(deps, made.id, forEndpoints) }

function storedFor(
  { seal }: Pick<Context, 'seal'>,
  id: string,
  { requires, alsoFor, extras = {} }: ForEndpoints,
): Pick<NewEvent, 'requires' | 'alsoFor' | 'extras'> {
  const filtered = { ...(requires !== undefined && { requires }), ...(alsoFor !== undefined && { alsoFor }) }
  const words = wordsOf(extras)
  if (words.length === 0) return filtered
  const text = Buffer.from(JSON.stringify(extras))
  const stored: StoredExtras = {
    words,
    sealed: seal.seal(text, aboutExtras(id)),
    bytes: text.length,
    redacted: Object.fromEntries(words.map(word => [word, JSON.stringify(redact(extras[word]))])),
  }
  return { ...filtered, extras: stored }
}

function row(id: string, accountId: string, event: AnyEvent, payload: { sealed: Uint8Array; bytes: number }): NewEvent {
  return {
    id,
    accountId,
    sessionId: event.kind === 'endpoint' ? '' : event.session_id,
    kind: event.kind,
    category: categoryOf(event.kind),
    historyType: historyTypeOf(event),
    dedupeId: dedupeIdOf(event, id),
    sealedPayload: payload.sealed,
    redacted: JSON.stringify(redact(event)),
    bytes: payload.bytes,
  }
}

import { CATEGORIES } from '../../domain/event.ts'
import { appendFields, type Extras, fieldsFor, type IncludeWord } from '../../domain/include.ts'
import { aboutEvent, aboutExtras } from '../../domain/sealed.ts'
import type { StreamedEvent, StreamPage } from '../../store/listeners/streams.ts'
import { PolledSignal } from '../../store/polled-signal.ts'
import { KeyNotListed } from '../../store/seal.ts'
import { keyRevoked } from '../authenticate.ts'
import type { Deps } from '../deps.ts'
import { iso, OneOf, Strict, Time, upTo } from '../schemas.ts'
import { Type } from '../type.ts'

export const MAX_WAIT_S = 25
const PAGE = 100
const PAGE_BYTES = 4 * 1_048_576
/** A stream keeps its page in memory until the client has read it, and an account may have many streams. */
const STREAMED_PAGE_BYTES = 262_144
/** Finds new events if no notification arrives. */
const POLL_EVERY_MS = 1_000
/** Two clients with one position supersede each other's waits: the pause keeps them from doing so in a tight loop. */
const SUPERSEDED_MS = 1_000

/** Up to 15 digits: every such number is a safe integer. */
export const CURSOR = /^\d{1,15}$/

export const Cursor = Type.String({ pattern: CURSOR.source, maxLength: 15 })

/** An event as a program reads it. */
const ReadEvent = Strict({
  cursor: Type.String({ description: 'The cursor of this event.' }),
  event_id: Type.String(),
  message_id: Type.String({ description: 'The X-Message-ID that an endpoint receives.' }),
  session_id: Type.String(),
  kind: Type.String(),
  category: OneOf(CATEGORIES),
  created_at: Time,
  body: Type.String({ description: 'The payload, with the same bytes that an endpoint receives.' }),
})

export const ReadPage = Strict({ data: upTo(PAGE, ReadEvent), cursor: Type.String(), missed: Type.Integer() })

const readPage = (
  { store }: Pick<Deps, 'store'>,
  streamId: string,
  after: number,
  maxBytes = PAGE_BYTES,
): Promise<StreamPage> => store.listeners.readStream({ streamId, after, limit: PAGE, maxBytes })

const newEventsOf = (deps: Pick<Deps, 'store' | 'clock'>, streamId: string): PolledSignal<'listened'> =>
  new PolledSignal(deps, ['listened'], { only: signal => signal.streamId === streamId })

interface Wait {
  /** The listener or the pull endpoint: it has one wait at a time. */
  readerId: string
  streamId: string
  after: number
  waitMs: number
  gone: AbortSignal
  admitted: () => Promise<boolean>
}

/** The next page, as soon as there is an event or one was missed, or when the time is over. */
export async function waitForEvents(
  deps: Deps,
  { readerId, streamId, after, waitMs, gone, admitted }: Wait,
): Promise<StreamPage> {
  const { clock, eventWaits } = deps
  const published = newEventsOf(deps, streamId)
  const { signal, shutdown, end } = await eventWaits.begin(readerId)
  const over = AbortSignal.any([signal, gone])
  try {
    const deadlineMs = clock.monotonicMs() + waitMs
    for (let reads = 0; !over.aborted; reads++) {
      const page = await readPage(deps, streamId, after)
      // The key may have been revoked during the wait.
      if (reads > 0 && !(await admitted())) throw keyRevoked()
      const leftMs = deadlineMs - clock.monotonicMs()
      if (page.events.length > 0 || page.missed > 0 || leftMs <= 0) return page
      await published.sleep(Math.min(POLL_EVERY_MS, leftMs), over)
    }
  } finally {
    end()
    published.stop()
  }
  await clock.sleep(SUPERSEDED_MS, AbortSignal.any([gone, shutdown]))
  return { events: [], missed: 0, cursor: after, isGone: false }
}

/** Calls back for each page with an event or a gap, until the signal aborts or the pull endpoint is deleted. */
export async function followEvents(
  deps: Pick<Deps, 'store' | 'clock'>,
  { streamId, after, signal }: { streamId: string; after: number; signal: AbortSignal },
  onPage: (page: StreamPage) => Promise<void>,
): Promise<void> {
  const published = newEventsOf(deps, streamId)
  try {
    for (let cursor = after; !signal.aborted; ) {
      const page = await readPage(deps, streamId, cursor, STREAMED_PAGE_BYTES)
      if (page.isGone) return
      cursor = page.cursor
      if (page.events.length === 0 && page.missed === 0) await published.sleep(POLL_EVERY_MS, signal)
      else await onPage(page)
    }
  } finally {
    published.stop()
  }
}

/** A damaged event never opens and is skipped. An event whose key is not listed fails the request until it is. */
export function showReadable(
  deps: Pick<Deps, 'seal' | 'log'>,
  event: StreamedEvent,
  include: readonly IncludeWord[] = [],
): Array<ReturnType<typeof show>> {
  try {
    return [show(deps, event, include)]
  } catch (error) {
    if (error instanceof KeyNotListed) throw error
    deps.log.error({ event_id: event.eventId, err: error }, 'listener.event_skipped')
    return []
  }
}

const show = (deps: Pick<Deps, 'seal'>, event: StreamedEvent, include: readonly IncludeWord[]) => ({
  cursor: String(event.seq),
  event_id: event.eventId,
  message_id: event.dedupeId,
  session_id: event.sessionId,
  kind: event.kind,
  category: event.category,
  created_at: iso(event.createdAt),
  body: openBody(deps, event, include).toString('utf8'),
})

function openBody({ seal }: Pick<Deps, 'seal'>, event: StreamedEvent, include: readonly IncludeWord[]): Buffer {
  const payload = seal.open(event.sealed, aboutEvent(event.eventId))
  if (event.extras === null || include.length === 0) return payload
  const extras = JSON.parse(seal.open(event.extras, aboutExtras(event.eventId)).toString('utf8')) as Extras
  return appendFields(payload, fieldsFor(extras, include))
}

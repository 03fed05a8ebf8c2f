import { Type } from 'typebox'
import { openListener } from '../../actions/open-listener.ts'
import { notFound } from '../../domain/errors.ts'
import { CATEGORIES } from '../../domain/event.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import { aboutEvent } from '../../domain/sealed.ts'
import { KeyNotListed } from '../../store/seal.ts'
import type { ListenedEvent, ListenedPage } from '../../store/listeners/listened-events.ts'
import { PolledSignal } from '../../store/polled-signal.ts'
import { keyRevoked } from '../authenticate.ts'
import type { Identity } from '../identity.ts'
import type { Deps } from '../deps.ts'
import { route } from '../route.ts'
import { ById, iso, OneOf, Strict, Time } from '../schemas.ts'

const MAX_WAIT_S = 25
const PAGE = 100
const PAGE_BYTES = 4 * 1_048_576
/** Where no signal comes through. */
const LOOK_EVERY_MS = 1_000

const HOUR_MS = 3_600_000
const MAX_KEPT_HOURS = 168

const KeepHours = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_KEPT_HOURS,
    description: 'How long it may say nothing from now on: until then events are kept for it.',
  }),
)

const keptMsOf = ({ keep_hours }: { keep_hours?: number }): number =>
  keep_hours === undefined ? KEPT_MS.listeners : keep_hours * HOUR_MS

const Cursor = Type.String({ pattern: '^\\d{1,15}$', maxLength: 15 })

const ListenedSchema = Strict({
  cursor: Type.String({ description: 'As far as this one.' }),
  event_id: Type.String(),
  message_id: Type.String({ description: 'The X-Message-ID that an endpoint receives.' }),
  session_id: Type.String(),
  kind: Type.String(),
  category: OneOf(CATEGORIES),
  created_at: Time,
  body: Type.String({ description: 'The payload, byte for byte as an endpoint receives it.' }),
})

export const createListener = route({
  method: 'POST',
  path: '/v1/listeners',
  tag: 'Listeners',
  summary: 'Begin to listen: from now on every event of the account is kept until it has been read',
  description:
    'For development, and for programs that nothing outside can reach: no webhook URL is needed. Events are kept sealed until every listener of the account has acknowledged them, an hour at most, and at most 10,000 or 64 MiB of them. A listener ends when it has not asked for an hour. `secret` signs what is forwarded; all listeners of an account have the same. With `keep_hours`, here and in each reading, it is so many hours instead of one, a week at most. Where an account has as many listeners as it may, a new one takes the place of the one that has been silent longest, if that is more than an hour.',
  scope: 'manage',
  body: Strict({ keep_hours: KeepHours }),
  status: 201,
  response: Strict({ id: Type.String(), cursor: Type.String(), secret: Type.String(), expires_at: Time }),
  example: { body: {} },
  async handler({ identity, body }, deps) {
    const keptMs = keptMsOf(body)
    const { id, cursor, secret, expiresAt } = await openListener(deps, identity.account.id, keptMs)
    return { id, cursor: String(cursor), secret, expires_at: iso(expiresAt) }
  },
})

export const readListener = route({
  method: 'GET',
  path: '/v1/listeners/:id/events',
  tag: 'Listeners',
  summary: 'What has happened after a cursor, oldest first; waits for it',
  description:
    'Acknowledges everything up to `after`. Answers at most 100 events and 4 MiB, one at least; go on with `cursor` of the answer. `missed` counts events that were dropped because nobody read them in time.',
  scope: 'manage',
  params: ById,
  query: Strict({
    after: Cursor,
    wait: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MAX_WAIT_S, description: 'Seconds to wait where nothing has happened yet.' }),
    ),
    keep_hours: KeepHours,
  }),
  status: 200,
  work: 'waiting',
  response: Strict({ data: Type.Array(ListenedSchema), cursor: Type.String(), missed: Type.Integer() }),
  errors: [404],
  async handler({ identity, params, query, gone, admitted }, deps) {
    const accountId = identity.account.id
    const cursor = Number(query.after)
    const keptMs = keptMsOf(query)
    const known = await deps.store.listeners.acknowledge({ id: params.id, accountId, cursor, keptMs })
    if (known === undefined) throw notFound('listener')
    // Events before the acknowledged cursor may be deleted: they are neither repeated nor counted as missed.
    const after = Math.max(cursor, known.acked)
    const asked = { accountId, after, limit: PAGE, maxBytes: PAGE_BYTES }
    const read = () => deps.store.listeners.readListened(asked)
    const page = await waitFor(
      deps,
      { id: params.id, accountId, after, waitMs: (query.wait ?? 0) * 1_000, gone: gone(), admitted },
      read,
    )
    return {
      data: page.events.filter(event => isVisible(identity, event)).flatMap(event => showReadable(deps, event)),
      cursor: String(page.cursor),
      missed: page.missed,
    }
  },
})

interface Wait {
  id: string
  accountId: string
  after: number
  waitMs: number
  gone: AbortSignal
  admitted: () => Promise<boolean>
}

async function waitFor(
  { store, clock, eventWaits }: Deps,
  { id, accountId, after, waitMs, gone, admitted }: Wait,
  read: () => Promise<ListenedPage>,
): Promise<ListenedPage> {
  const wakeUp = new PolledSignal({ store, clock }, ['listened'], { only: signal => signal.accountId === accountId })
  const { signal, end } = await eventWaits.begin(id)
  const over = AbortSignal.any([signal, gone])
  try {
    const deadlineMs = clock.monotonicMs() + waitMs
    for (let looks = 0; !over.aborted; looks++) {
      const page = await read()
      // Whoever has waited may have been shut out meanwhile.
      if (looks > 0 && !(await admitted())) throw keyRevoked()
      const leftMs = deadlineMs - clock.monotonicMs()
      if (page.events.length > 0 || page.missed > 0 || leftMs <= 0) return page
      await wakeUp.sleep(Math.min(LOOK_EVERY_MS, leftMs), over)
    }
    return { events: [], missed: 0, cursor: after }
  } finally {
    end()
    wakeUp.stop()
  }
}

const isVisible = ({ sessionIds }: Identity, event: ListenedEvent): boolean =>
  sessionIds === null || sessionIds.includes(event.sessionId)

/** One that was damaged never opens: those behind it are told all the same. One whose key is not listed waits for it. */
function showReadable(deps: Pick<Deps, 'seal' | 'log'>, event: ListenedEvent): Array<ReturnType<typeof show>> {
  try {
    return [show(deps, event)]
  } catch (error) {
    if (error instanceof KeyNotListed) throw error
    deps.log.error({ event_id: event.eventId, err: error }, 'listener.unreadable')
    return []
  }
}

const show = ({ seal }: Pick<Deps, 'seal'>, event: ListenedEvent) => ({
  cursor: String(event.seq),
  event_id: event.eventId,
  message_id: event.dedupeId,
  session_id: event.sessionId,
  kind: event.kind,
  category: event.category,
  created_at: iso(event.createdAt),
  body: seal.open(event.sealed, aboutEvent(event.eventId)).toString('utf8'),
})

export const deleteListener = route({
  method: 'DELETE',
  path: '/v1/listeners/:id',
  tag: 'Listeners',
  summary: 'Stop listening: what was kept for this listener alone is dropped',
  description: 'Other listeners of the account go on.',
  scope: 'manage',
  params: ById,
  status: 200,
  response: Strict({ id: Type.String(), deleted: Type.Boolean() }),
  errors: [404],
  async handler({ identity, params }, { store }) {
    const closed = await store.listeners.closeListener({ id: params.id, accountId: identity.account.id })
    if (!closed) throw notFound('listener')
    return { id: params.id, deleted: true as const }
  },
})

import { Type } from '../type.ts'
import { notFound, tooManyListeners } from '../../domain/errors.ts'
import { type AnyKind, EVENT_KINDS, type EventKind } from '../../domain/event.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import { aboutListening } from '../../domain/sealed.ts'
import type { StreamedEvent } from '../../store/listeners/streams.ts'
import { Cursor, MAX_WAIT_S, ReadPage, showReadable, waitForEvents } from '../live/read-events.ts'
import type { Identity } from '../identity.ts'
import { route } from '../route.ts'
import { ById, iso, OneOf, Strict, Time } from '../schemas.ts'
import type { Context } from '../../context.ts'
import { makeId } from '../../domain/ids.ts'
import { makeWebhookSecret, secretOfNumbers } from '../../domain/webhook.ts'
import type { Store } from '../../store/store.ts'

const HOUR_MS = 3_600_000
const MAX_KEPT_HOURS = 168

const KeepHours = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_KEPT_HOURS,
    description:
      'After how many hours without a request the listener expires. Until then, the gateway keeps events for it.',
  }),
)

const keptMsOf = ({ keep_hours }: { keep_hours?: number }): number =>
  keep_hours === undefined ? KEPT_MS.listeners : keep_hours * HOUR_MS

export const createListener = route({
  method: 'POST',
  path: '/v1/listeners',
  tag: 'Listeners',
  summary: 'Create a listener, for which the gateway keeps every event until you read it',
  description:
    'Use a listener for development, and for programs that a webhook cannot reach. The gateway keeps events encrypted until every listener of the account has acknowledged them, for up to one hour, and up to 10,000 events or 64 MiB. A listener expires after an hour without a request. `keep_hours`, here and in each read, extends the hour to up to a week. Sign forwarded events with `secret`, which is the same for all listeners of an account, and another one for a key that is limited to some numbers. If the account has the maximum number of listeners, a new one replaces the one that has been idle longest, provided that it has been idle for more than an hour.',
  scope: 'manage',
  body: Strict({
    keep_hours: KeepHours,
    kinds: Type.Optional(
      Type.Array(OneOf(EVENT_KINDS), {
        minItems: 1,
        maxItems: EVENT_KINDS.length,
        description:
          'The kinds of events that you read; all by default. A listener of `typing` or `presence` makes numbers with ' +
          '`appear: auto` appear online.',
      }),
    ),
  }),
  status: 201,
  response: Strict({ id: Type.String(), cursor: Type.String(), secret: Type.String(), expires_at: Time }),
  example: { body: {} },
  async handler({ identity, body }, deps) {
    const keptMs = keptMsOf(body)
    const { id, cursor, secret, expiresAt } = await openListener(deps, identity, keptMs, body.kinds ?? null)
    return { id, cursor: String(cursor), secret, expires_at: iso(expiresAt) }
  },
})

export const readListener = route({
  method: 'GET',
  path: '/v1/listeners/:id/events',
  tag: 'Listeners',
  summary: 'Read the events after a cursor, oldest first',
  description:
    'The request acknowledges every event up to `after`, and waits if there is no event yet. The response has up to 100 events and 4 MiB, but at least one event if there is any. Continue with its `cursor`. `missed` counts the events that the gateway dropped because the listener did not read them in time.',
  scope: 'manage',
  params: ById,
  query: Strict({
    after: Cursor,
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_S,
        description: 'How many seconds to wait if there is no event yet.',
      }),
    ),
    keep_hours: KeepHours,
  }),
  status: 200,
  work: 'waiting',
  response: ReadPage,
  errors: [404],
  async handler({ identity, params, query, gone, admitted }, deps) {
    const accountId = identity.account.id
    const read = { id: params.id, accountId, cursor: Number(query.after), keptMs: keptMsOf(query) }
    const acknowledged = await deps.store.listeners.acknowledge(read)
    if (acknowledged === undefined) throw notFound('listener')
    const { cursor: after, kinds } = acknowledged
    const wait = { readerId: params.id, streamId: accountId, after, waitMs: (query.wait ?? 0) * 1_000 }
    const page = await waitForEvents(deps, { ...wait, gone: gone(), admitted })
    return {
      data: page.events.filter(event => isVisible(identity, kinds, event)).flatMap(event => showReadable(deps, event)),
      cursor: String(page.cursor),
      missed: page.missed,
    }
  },
})

const isVisible = ({ sessionIds }: Identity, kinds: EventKind[] | null, event: StreamedEvent): boolean =>
  (sessionIds === null || sessionIds.includes(event.sessionId)) &&
  (kinds === null || (kinds as AnyKind[]).includes(event.kind))

export const deleteListener = route({
  method: 'DELETE',
  path: '/v1/listeners/:id',
  tag: 'Listeners',
  summary: 'Delete a listener and the events that only this listener still needs',
  description: 'Other listeners of the account continue.',
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

interface Listener {
  id: string
  cursor: number
  /** Signs forwarded events; the same for all listeners with the same permissions. */
  secret: string
  expiresAt: number
}

/** Begins to store the account's events for a program that reads them by cursor. */
export async function openListener(
  { store, seal }: Pick<Context, 'seal'> & { store: Pick<Store, 'listeners'> },
  { account, sessionIds }: Pick<Identity, 'account' | 'sessionIds'>,
  keptMs: number,
  kinds: EventKind[] | null,
): Promise<Listener> {
  const accountId = account.id
  const about = aboutListening(accountId)
  const id = makeId('lsn')
  const sealedSecret = seal.seal(makeWebhookSecret(), about)
  const opened = await store.listeners.openListener({ id, accountId, sealedSecret, keptMs, kinds })
  if (opened.kind === 'full') throw tooManyListeners()
  const { cursor, expiresAt } = opened
  const secret = seal.open(opened.sealedSecret, about).toString('utf8')
  return { id, cursor, expiresAt, secret: sessionIds === null ? secret : secretOfNumbers(secret, sessionIds) }
}

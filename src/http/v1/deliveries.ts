import { Type } from '../type.ts'
import { giveUpDelivery as giveUp, resendDelivery as resend } from '../../actions/change-deliveries.ts'
import {
  ATTEMPT_ERRORS,
  DELIVERY_STATUSES,
  REPLY_STATUSES,
  type Attempt,
  type DeliveryEntry,
  type Reply,
} from '../../domain/delivery.ts'
import { isEndpointId } from '../../domain/endpoint.ts'
import { conflicting, invalid, notFound } from '../../domain/errors.ts'
import { CATEGORIES, HISTORY_TYPES } from '../../domain/event.ts'
import type { Store } from '../../store/store.ts'
import type { HistoryFilter } from '../../store/deliveries/history.ts'
import { type Identity, requireOwn } from '../identity.ts'
import type { HistoryChanges } from '../live/live-polls.ts'
import { pagesOf } from '../page.ts'
import type { Deps } from '../deps.ts'
import { route } from '../route.ts'
import {
  ById,
  DescribedTime,
  iso,
  isoOrNull,
  listOf,
  Nullable,
  OneOf,
  pageQuery,
  Strict,
  Time,
  upTo,
} from '../schemas.ts'
import { type EventStream, openStream } from '../live/sse.ts'

/** A closed list, for attempts and for tests of a webhook. */
export const FailureKind = OneOf(ATTEMPT_ERRORS, { description: 'The kind of failure, for programs.' })

const AttemptSchema = Strict({
  attempt: Type.Integer(),
  time: Time,
  status: OneOf(['delivered', 'failed'] as const),
  code: Nullable(Type.Integer({ description: 'The HTTP status. Null if the endpoint did not respond.' })),
  latency_ms: Type.Integer(),
  error: Nullable(FailureKind),
  response_excerpt: Type.String(),
  url: Nullable(Type.String({ description: 'The URL of this attempt, without its query.' })),
  response_headers: Type.Record(Type.String(), Type.String(), {
    description:
      'Some headers of the response. After a 2xx: content-type, content-length, date and retry-after. After a failure also those that help to explain it, such as server, location and www-authenticate. Never cookies.',
  }),
  reply: Type.Optional(
    Strict(
      {
        status: OneOf(REPLY_STATUSES, {
          description: 'repeated: the endpoint has answered this event before, and the first answer counts.',
        }),
        message_id: Nullable(Type.String({ description: 'The message that was accepted.' })),
        code: Nullable(
          Type.String({
            description:
              'Why it was refused: an error code, `answer_incomplete` (more than 64 KiB, or more than 5 seconds), or `own_number` (the sender is a number of your account).',
          }),
        ),
        param: Nullable(Type.String({ description: 'The field at fault.' })),
      },
      { description: 'What became of the answer of an endpoint with `reply`. Absent if it did not answer.' },
    ),
  ),
})

/** The attempts that count, and probes of an endpoint that fails. */
const MAX_ATTEMPTS_SHOWN = 20

export const Delivery = Strict({
  id: Type.String(),
  event_id: Type.String(),
  message_id: Type.String({ description: 'The X-Message-ID that the endpoint receives.' }),
  webhook_id: Nullable(Type.String({ description: 'Null for a delivery to an endpoint.' })),
  endpoint_id: Nullable(Type.String({ description: 'Null for a delivery to a webhook.' })),
  session_id: Type.String({ description: 'Empty for an event of the account, such as kind endpoint.' }),
  kind: Type.String(),
  event_type: OneOf(HISTORY_TYPES),
  category: OneOf(CATEGORIES),
  status: OneOf(DELIVERY_STATUSES, {
    description:
      'failed: the last attempt failed and the gateway will retry. dead: a dead letter, which the gateway does not retry.',
  }),
  reason: Nullable(Type.String({ description: 'Why the delivery is dead.' })),
  origin: OneOf(['event', 'resend', 'replay'] as const),
  code: Nullable(Type.Integer({ description: 'The HTTP status of the last attempt.' })),
  attempts: upTo(MAX_ATTEMPTS_SHOWN, AttemptSchema),
  next_attempt_at: Nullable(Time),
  redelivered_at: Nullable(
    DescribedTime(
      'For a dead letter: when a resend or a replay delivered its event. It then no longer counts as a dead letter.',
    ),
  ),
  replaced_by: Nullable(
    Type.String({ description: 'The dead letter that replaced this one, if a resend or a replay failed.' }),
  ),
  replayed_as: Nullable(
    Type.String({
      description: 'For a dead letter that was resent or replayed: the delivery that sends its event again.',
    }),
  ),
  replay_of: Nullable(Type.String({ description: 'For a resend or a replay: the dead letter that it sends again.' })),
  created_at: Time,
  updated_at: Time,
  payload: Type.Unknown({ description: 'The payload, with size markers in place of its content.' }),
})

/** The webhook or the endpoint of a delivery or a replay. */
export const receiverOf = ({ webhookId }: { webhookId: string }) =>
  isEndpointId(webhookId) ? { webhook_id: null, endpoint_id: webhookId } : { webhook_id: webhookId, endpoint_id: null }

export const showDelivery = (entry: DeliveryEntry) => ({
  id: entry.id,
  event_id: entry.eventId,
  message_id: entry.dedupeId,
  ...receiverOf(entry),
  session_id: entry.sessionId,
  kind: entry.kind,
  event_type: entry.eventType,
  category: entry.category,
  status: entry.status,
  reason: entry.reason,
  origin: entry.origin,
  code: entry.attempts.at(-1)?.code ?? null,
  attempts: entry.attempts.map(showAttempt),
  next_attempt_at: isoOrNull(entry.nextAttemptAt),
  redelivered_at: isoOrNull(entry.redeliveredAt),
  replaced_by: entry.replacedBy,
  replayed_as: entry.replayedAs,
  replay_of: entry.replayOf,
  created_at: iso(entry.createdAt),
  updated_at: iso(entry.updatedAt),
  payload: JSON.parse(entry.redacted) as unknown,
})

const showAttempt = (attempt: Attempt) => ({
  attempt: attempt.attempt,
  time: iso(attempt.atMs),
  status: attempt.delivered ? ('delivered' as const) : ('failed' as const),
  code: attempt.code,
  latency_ms: attempt.latencyMs,
  error: attempt.error,
  response_excerpt: attempt.excerpt,
  url: attempt.url ?? null,
  response_headers: attempt.headers ?? {},
  ...(attempt.reply && { reply: showReply(attempt.reply) }),
})

const showReply = ({ status, messageId, code, param }: Reply) => ({ status, message_id: messageId, code, param })

const filters = {
  session_id: Type.Optional(Type.String({ maxLength: 100 })),
  event_type: Type.Optional(OneOf(HISTORY_TYPES)),
  status: Type.Optional(OneOf(DELIVERY_STATUSES)),
  webhook_id: Type.Optional(Type.String({ maxLength: 100 })),
  endpoint_id: Type.Optional(Type.String({ maxLength: 100 })),
  since: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601: only entries from this time on.' })),
  until: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601: only entries up to this time.' })),
}

interface FilterQuery {
  session_id?: string
  event_type?: (typeof HISTORY_TYPES)[number]
  status?: (typeof DELIVERY_STATUSES)[number]
  webhook_id?: string
  endpoint_id?: string
  since?: string
  until?: string
}

async function filterOf(deps: Deps, identity: Identity, query: FilterQuery): Promise<HistoryFilter> {
  const sinceMs = timeOf('since', query.since)
  const untilMs = timeOf('until', query.until)
  if (query.webhook_id !== undefined && query.endpoint_id !== undefined)
    throw conflicting('webhook_id and endpoint_id exclude each other', 'endpoint_id')
  const receiver = query.endpoint_id ?? query.webhook_id
  const session =
    query.session_id === undefined ? undefined : await deps.sessions.own(identity, 'session_id', query.session_id)
  return {
    accountId: identity.account.id,
    sessionIds: identity.sessionIds === null ? null : [...identity.sessionIds],
    ...(session !== undefined && { sessionId: session.id }),
    ...(query.event_type !== undefined && { eventType: query.event_type }),
    ...(query.status !== undefined && { status: query.status }),
    ...(receiver !== undefined && { webhookId: receiver }),
    ...(sinceMs !== undefined && { sinceMs }),
    ...(untilMs !== undefined && { untilMs }),
  }
}

/** A time as customers write it. */
export function timeOf(field: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const ms = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(ms)) throw invalid(`${field} must be a time such as 2026-01-31T12:00:00Z`, field)
  return ms
}

export async function ownDelivery(
  { store }: { store: Pick<Store, 'deliveries'> },
  identity: Identity,
  id: string,
): Promise<DeliveryEntry> {
  const entry = await store.deliveries.getDelivery(id)
  if (entry === undefined) throw notFound('delivery')
  requireOwn(identity, entry)
  return entry
}

export const listDeliveries = route({
  method: 'GET',
  path: '/v1/deliveries',
  tag: 'Deliveries',
  summary: 'List the delivery history, newest first',
  description: 'The history has the latest 500 entries and the dead letters, for as long as the plan keeps them.',
  scope: 'read',
  query: Strict({ ...pageQuery, ...filters }),
  status: 200,
  work: 'heavy',
  response: listOf(Delivery),
  async handler({ identity, query }, deps) {
    const pages = pagesOf(deps, identity, 'deliveries', query)
    const filter = await filterOf(deps, identity, query)
    return pages.answer(await deps.store.deliveries.listDeliveries({ ...filter, ...pages.request }), showDelivery)
  },
})

export const tailDeliveries = route({
  method: 'GET',
  path: '/v1/deliveries/events',
  tag: 'Deliveries',
  summary: 'Follow the delivery history as server-sent events',
  description: 'The stream has one event named `delivery` for each new or changed entry.',
  scope: 'read',
  query: Strict(filters),
  status: 200,
  response: Type.String(),
  contentType: 'text/event-stream',
  async handler({ identity, query, reply }, deps) {
    const filter = await filterOf(deps, identity, query)
    const stream = await openStream(reply, deps)
    try {
      const openedAtMs = await deps.store.now()
      await deps.livePolls.followHistory(filter, sendEntries(stream, openedAtMs), stream.signal)
    } finally {
      stream.end()
    }
  },
})

/** Sends each version of an entry that has changed since then, once. */
function sendEntries(stream: EventStream, sinceMs: number): (changes: HistoryChanges) => void {
  let seen = new Set<string>()
  return ({ entries }) => {
    const versions = new Set<string>()
    for (const entry of entries) {
      const version = `${entry.id} ${entry.updatedAt} ${entry.status}`
      versions.add(version)
      if (entry.updatedAt >= sinceMs && !seen.has(version)) stream.send('delivery', showDelivery(entry), entry.id)
    }
    seen = versions
  }
}

export const getDelivery = route({
  method: 'GET',
  path: '/v1/deliveries/:id',
  tag: 'Deliveries',
  summary: 'Get a delivery with its attempts',
  description: 'Each attempt has its time, the status of the response and an excerpt of it. The payload is redacted.',
  scope: 'read',
  params: ById,
  status: 200,
  response: Delivery,
  errors: [404],
  handler: async ({ identity, params }, deps) => showDelivery(await ownDelivery(deps, identity, params.id)),
})

export const resendDelivery = route({
  method: 'POST',
  path: '/v1/deliveries/:id/resend',
  tag: 'Deliveries',
  summary: 'Deliver the same event again, with the same X-Message-ID',
  description:
    'The response is 400 if the payload no longer exists: the gateway deletes it when it has delivered the event. It is also 400 while another delivery of the event is queued or in progress. There is one exception: while the original delivery waits for its next attempt, you can resend it once.',
  scope: 'manage',
  params: ById,
  status: 202,
  response: Delivery,
  errors: [404],
  async handler({ identity, params }, deps) {
    await ownDelivery(deps, identity, params.id)
    return showDelivery(await resend(deps, params.id))
  },
})

export const giveUpDelivery = route({
  method: 'POST',
  path: '/v1/deliveries/:id/give-up',
  tag: 'Deliveries',
  summary: 'Stop the retries of a delivery and make it a dead letter',
  description:
    'Use it for a delivery that waits for its next attempt. The response has the delivery without a next attempt. Shortly afterwards it is a dead letter with the reason `given_up`, which you can resend or replay like any other. The gateway does not interrupt a running attempt: if it succeeds, the event is delivered. The response is 400 if the delivery is delivered, dead or stopped already.',
  scope: 'manage',
  params: ById,
  status: 202,
  response: Delivery,
  errors: [404],
  async handler({ identity, params }, deps) {
    await ownDelivery(deps, identity, params.id)
    return showDelivery(await giveUp(deps, params.id))
  },
})

import { Type } from '../type.ts'
import {
  createEndpoint as create,
  deleteEndpoint as remove,
  type GivenEndpoint,
  rotateEndpointSecret as rotate,
  updateEndpoint as update,
} from '../../actions/edit-endpoints.ts'
import { replayDeliveries as replay } from '../../actions/change-deliveries.ts'
import { testEndpoint as test } from '../../actions/test-endpoint.ts'
import {
  DIRECTIONS,
  type Endpoint,
  ENDPOINT_TYPES,
  KEEP_HOURS,
  maxKeepHours,
  MEDIA_FORMS,
  mediaFormOf,
  RETRY_MODES,
  SIGNATURES,
  typeOf,
} from '../../domain/endpoint.ts'
import { foreignSession, missing, notFound, wrongState } from '../../domain/errors.ts'
import { ANY_KINDS, CATEGORIES } from '../../domain/event.ts'
import type { Replay } from '../../store/replays/replays.ts'
import type { Deps } from '../deps.ts'
import { type Identity, requireScope } from '../identity.ts'
import { pagesOf } from '../page.ts'
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
import { timeOf } from './deliveries.ts'
import { parseIdempotencyKey } from './messages.ts'
import { ReplayBody, ReplayById, ReplaySchema, showReplay, showTestResult, TestResult } from './webhook-tools.ts'

const MAX_NUMBERS = 100
const MAX_HEADERS = 20

const fields = {
  url: Type.String({ minLength: 1, maxLength: 4096, description: 'The URL that receives the events.' }),
  description: Type.String({ maxLength: 200, description: 'A note for people.' }),
  kinds: Nullable(
    Type.Array(OneOf(ANY_KINDS), {
      minItems: 1,
      maxItems: 20,
      description:
        'The kinds of events that it gets. Null: every kind of a webhook except `typing` and `presence`, which you name: while an endpoint gets them, numbers with `appear: auto` appear online. `endpoint` tells you about endpoints that fail.',
    }),
  ),
  session_ids: Nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: MAX_NUMBERS,
      description: 'The numbers whose events it gets. Null: every number of the account.',
    }),
  ),
  direction: Nullable(
    OneOf(DIRECTIONS, {
      description:
        '`in`: only what people send to your numbers. `out`: only what your numbers send, and what becomes of it. Null: both. Kinds `connection`, `endpoint`, `group`, `contact`, `person`, `chat`, `health` and `newsletter` have no direction.',
    }),
  ),
  include: Type.Array(Type.String({ maxLength: 40 }), {
    maxItems: 10,
    description:
      'More than a webhook gets. `own`: messages that people write on the number’s own phone. `context`: more fields of each message, such as mentions and contacts. `group`: events of kind `group`, the changes of groups, besides its `kinds`. `contact`: events of kind `contact`, the changes of people, besides its `kinds`. `person`: events of kind `person`, phone numbers of hidden identifiers. `chat`: events of kind `chat`, what the owner of a number does with chats on the phone. `health`: events of kind `health`, restrictions and bans of numbers. `newsletter`: events of kind `newsletter`, the changes of channels. `history`: older messages that you request from the phone.',
  }),
  media: OneOf(MEDIA_FORMS, {
    description:
      '`inline`: events have files up to 4 MB in `media.data`, as webhooks do. `url`: `media.data` is empty, and `media.id` is the id of the file, of any size, for `GET /v1/media/{id}`.',
  }),
  signature: OneOf(SIGNATURES, {
    description:
      '`postern`: the headers of a webhook. `standard`: Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature).',
  }),
  retry: OneOf(RETRY_MODES, {
    description:
      '`eager`: while the endpoint fails, the gateway tries one delivery every few seconds, and sends everything that waits, in order, as soon as one succeeds. `ladder`: each delivery is retried on its own, by the schedule of webhooks.',
  }),
  reply: Type.Boolean({
    description:
      'Whether its answer to a `message` is sent to the chat: a response with JSON such as `{"text": "Hello"}`, the body of POST /v1/messages without `session_id` and `to`. Each event is answered once. The key needs the scope `send`.',
  }),
  active: Type.Boolean(),
}

const TypeOfEndpoint = OneOf(ENDPOINT_TYPES, {
  description:
    '`webhook`: the gateway posts each event to `url`. `pull`: the gateway keeps the events, and your program reads them.',
})
const KeepHours = Type.Integer({
  minimum: 1,
  maximum: KEEP_HOURS.max,
  description:
    'Only for `pull`: for how many hours the gateway keeps an event that your program does not acknowledge; 72 by default. At most 72 on the free plan, 720 on pro and 2,160 on max.',
})

const Headers = Type.Record(Type.String(), Type.String({ maxLength: 1024 }), {
  maxProperties: MAX_HEADERS,
  description: 'Headers that each request has besides those of the gateway. No response shows their values.',
})

const changeable = {
  keep_hours: Type.Optional(KeepHours),
  description: Type.Optional(fields.description),
  kinds: Type.Optional(fields.kinds),
  session_ids: Type.Optional(fields.session_ids),
  direction: Type.Optional(fields.direction),
  include: Type.Optional(fields.include),
  media: Type.Optional(fields.media),
  headers: Type.Optional(Headers),
  signature: Type.Optional(fields.signature),
  retry: Type.Optional(fields.retry),
  reply: Type.Optional(fields.reply),
  active: Type.Optional(fields.active),
}

const shownFields = {
  id: Type.String(),
  type: TypeOfEndpoint,
  ...fields,
  url: Nullable(fields.url),
  signature: Nullable(fields.signature),
  retry: Nullable(fields.retry),
  reply: Nullable(fields.reply),
  keep_hours: Nullable(KeepHours),
  headers: upTo(MAX_HEADERS, Type.String(), 'The names of its own headers.'),
  failing_since: Nullable(DescribedTime('The first failure since the endpoint last accepted a delivery.')),
  switched_off_at: Nullable(
    DescribedTime(
      'When the gateway switched it off, after three days of failures. Set `active` to switch it on again.',
    ),
  ),
  created_at: Time,
  updated_at: Time,
}
const Shown = Strict(shownFields)
const ShownWithSecret = Strict({
  ...shownFields,
  secret: Type.String({ description: 'Only this response has the secret.' }),
})

const isPull = (endpoint: Endpoint): boolean => typeOf(endpoint) === 'pull'

const showEndpoint = ({ account }: Identity, endpoint: Endpoint) => ({
  id: endpoint.id,
  type: typeOf(endpoint),
  url: isPull(endpoint) ? null : endpoint.url,
  // A plan that the account had before may have kept events longer.
  keep_hours: endpoint.keepHours === null ? null : Math.min(endpoint.keepHours, maxKeepHours(account.plan)),
  description: endpoint.description,
  kinds: endpoint.kinds,
  session_ids: endpoint.sessionIds,
  direction: endpoint.direction,
  include: endpoint.include.filter(word => word !== 'media'),
  media: mediaFormOf(endpoint),
  headers: endpoint.headerNames,
  signature: isPull(endpoint) ? null : endpoint.signature,
  retry: isPull(endpoint) ? null : endpoint.retry,
  reply: isPull(endpoint) ? null : endpoint.reply,
  active: endpoint.active,
  failing_since: isoOrNull(endpoint.failingSince),
  switched_off_at: isoOrNull(endpoint.switchedOffAt),
  created_at: iso(endpoint.createdAt),
  updated_at: iso(endpoint.updatedAt),
})

/** A key that is limited to some numbers sees the endpoints that get events of those alone. */
const maySee = ({ sessionIds }: Identity, endpoint: Endpoint): boolean =>
  sessionIds === null || (endpoint.sessionIds?.every(id => sessionIds.includes(id)) ?? false)

/** The caller's endpoint: 404 if there is none, 403 if it is another account's, or gets events of other numbers. */
export async function ownEndpoint({ store }: Deps, identity: Identity, id: string): Promise<Endpoint> {
  const endpoint = await store.endpoints.getEndpoint(id)
  if (endpoint === undefined) throw notFound('endpoint')
  if (endpoint.accountId !== identity.account.id || !maySee(identity, endpoint)) throw foreignSession()
  return endpoint
}

interface GivenNumbers {
  session_ids?: string[] | null
}

/** The ids of the caller's numbers. A limited key has to name its numbers. */
async function ownNumbers(
  deps: Deps,
  identity: Identity,
  { session_ids: given }: GivenNumbers,
): Promise<Pick<GivenEndpoint, 'sessionIds'>> {
  if (given === undefined) return {}
  if (given === null) {
    if (identity.sessionIds !== null) throw numbersMissing()
    return { sessionIds: null }
  }
  const sessions = await Promise.all(given.map(id => deps.sessions.own(identity, 'session_ids', id)))
  return { sessionIds: sessions.map(({ id }) => id) }
}

const numbersMissing = () => missing('session_ids is required: this key is limited to some numbers', 'session_ids')

export const createEndpoint = route({
  method: 'POST',
  path: '/v1/endpoints',
  tag: 'Endpoints',
  summary: 'Create an endpoint that gets events of several numbers',
  description:
    'Give a `url`, or the type `pull` for a program that reads its events. An account can have up to 50 endpoints, 10 of them of type `pull`, besides the webhooks of its numbers. Each event goes to the webhook of its number and to every endpoint that wants it, in the order of the events of a number. If you repeat a request with the same Idempotency-Key within a day, you get the endpoint that it created, with its secret.',
  scope: 'manage',
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ description: '1 to 255 visible ASCII characters.' })),
  }),
  body: Strict({ type: Type.Optional(TypeOfEndpoint), url: Type.Optional(fields.url), ...changeable }),
  status: 201,
  response: ShownWithSecret,
  example: { body: { url: 'http://127.0.0.1:9000/events', kinds: ['message', 'status'], signature: 'standard' } },
  async handler({ identity, body, headers, reply }, deps) {
    const key = parseIdempotencyKey(headers['idempotency-key'])
    const { session_ids, ...given } = body
    if (body.reply === true) requireScope(identity, 'send')
    if (identity.sessionIds !== null && session_ids === undefined) throw numbersMissing()
    const numbers = await ownNumbers(deps, identity, body)
    const request = key === null ? null : { key, body }
    const { endpoint, secret, repeated } = await create(deps, identity.account, { ...given, ...numbers }, request)
    // It may have got more numbers since it was created.
    if (!maySee(identity, endpoint)) throw foreignSession()
    if (repeated) void reply.header('Idempotent-Replayed', 'true')
    return { ...showEndpoint(identity, endpoint), secret }
  },
})

export const listEndpoints = route({
  method: 'GET',
  path: '/v1/endpoints',
  tag: 'Endpoints',
  summary: 'List the endpoints of the account',
  description: 'Oldest first. The response has no secrets and no values of headers.',
  scope: 'read',
  query: Strict(pageQuery),
  status: 200,
  work: 'heavy',
  response: listOf(Shown),
  async handler({ identity, query }, deps) {
    const pages = pagesOf(deps, identity, 'endpoints', query)
    const page = await deps.store.endpoints.listEndpoints({ accountId: identity.account.id, ...pages.request })
    return pages.answer({ ...page, data: page.data.filter(each => maySee(identity, each)) }, each =>
      showEndpoint(identity, each),
    )
  },
})

export const getEndpoint = route({
  method: 'GET',
  path: '/v1/endpoints/:id',
  tag: 'Endpoints',
  summary: 'Get an endpoint',
  description: 'The response has its settings and whether it is failing, but neither its secret nor values of headers.',
  scope: 'read',
  params: ById,
  status: 200,
  response: Shown,
  errors: [404],
  handler: async ({ identity, params }, deps) => showEndpoint(identity, await ownEndpoint(deps, identity, params.id)),
})

export const updateEndpoint = route({
  method: 'PATCH',
  path: '/v1/endpoints/:id',
  tag: 'Endpoints',
  summary: 'Change an endpoint',
  description:
    'What you leave out does not change. `headers` replaces all of them. Waiting deliveries go to the new URL. If you set `active` to false, they become dead letters.',
  scope: 'manage',
  params: ById,
  body: Strict({ url: Type.Optional(fields.url), ...changeable }),
  status: 200,
  response: Shown,
  errors: [404],
  example: { body: { description: 'orders', direction: 'in' } },
  async handler({ identity, params, body }, deps) {
    const endpoint = await ownEndpoint(deps, identity, params.id)
    // What answers at the URL sends messages.
    const isWider = body.url !== undefined || body.session_ids !== undefined || body.active === true
    if (body.reply === true || (body.reply !== false && endpoint.reply && isWider)) requireScope(identity, 'send')
    const { session_ids: _, ...given } = body
    const numbers = await ownNumbers(deps, identity, body)
    return showEndpoint(identity, await update(deps, identity.account, endpoint, { ...given, ...numbers }))
  },
})

export const deleteEndpoint = route({
  method: 'DELETE',
  path: '/v1/endpoints/:id',
  tag: 'Endpoints',
  summary: 'Delete an endpoint',
  description: 'Its waiting deliveries become dead letters. The events that a pull endpoint keeps are deleted.',
  scope: 'manage',
  params: ById,
  status: 200,
  response: Strict({ id: Type.String(), deleted: Type.Boolean() }),
  errors: [404],
  async handler({ identity, params }, deps) {
    await remove(deps, await ownEndpoint(deps, identity, params.id))
    return { id: params.id, deleted: true }
  },
})

export const rotateEndpointSecret = route({
  method: 'POST',
  path: '/v1/endpoints/:id/rotate-secret',
  tag: 'Endpoints',
  summary: 'Rotate the secret of an endpoint',
  description:
    'Only this response has the new secret. During the overlap, each delivery has one signature by the old secret and one by the new secret, so that you can change your receiver without rejecting a delivery.',
  scope: 'manage',
  params: ById,
  body: Strict({ overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800, default: 0 })) }),
  status: 200,
  response: ShownWithSecret,
  errors: [404],
  example: { body: { overlap_seconds: 86_400 } },
  async handler({ identity, params, body }, deps) {
    await ownEndpoint(deps, identity, params.id)
    const { endpoint, secret } = await rotate(deps, params.id, body.overlap_seconds ?? 0)
    return { ...showEndpoint(identity, endpoint), secret }
  },
})

export const testEndpoint = route({
  method: 'POST',
  path: '/v1/endpoints/:id/test',
  tag: 'Endpoints',
  summary: 'Send a sample payload to an endpoint and return its response',
  description:
    'The sample has the headers and the signature of a delivery, unless `sign` is false. Tests do not appear in the history. An account can start a burst of 30 tests and replays, then one per second.',
  scope: 'manage',
  params: ById,
  body: Strict({ category: Type.Optional(OneOf(CATEGORIES)), sign: Type.Optional(Type.Boolean({ default: true })) }),
  status: 200,
  response: TestResult,
  errors: [404],
  example: { body: { category: 'messages', sign: true } },
  async handler({ identity, params, body }, deps) {
    const endpoint = await ownEndpoint(deps, identity, params.id)
    if (isPull(endpoint)) throw wrongState('an endpoint of type pull has no URL to test')
    deps.toolLimit.count(endpoint.accountId)
    const { category, sign = true } = body
    return showTestResult(await test(deps, endpoint, { sign, ...(category !== undefined && { category }) }))
  },
})

export const replayEndpoint = route({
  method: 'POST',
  path: '/v1/endpoints/:id/replay',
  tag: 'Endpoints',
  summary: 'Start a job that sends the dead letters of an endpoint again',
  description: 'It works like the replay of a webhook.',
  scope: 'manage',
  params: ById,
  body: ReplayBody,
  status: 202,
  response: ReplaySchema,
  errors: [404],
  example: { body: { since: '2026-01-01T00:00:00Z' } },
  async handler({ identity, params, body }, deps) {
    const sinceMs = timeOf('since', body.since)
    const untilMs = timeOf('until', body.until)
    const endpoint = await ownEndpoint(deps, identity, params.id)
    deps.toolLimit.count(endpoint.accountId)
    const job = await replay(deps, endpoint, {
      ...(sinceMs !== undefined && { sinceMs }),
      ...(untilMs !== undefined && { untilMs }),
      ...(body.status !== undefined && { status: body.status }),
    })
    return await showReplay(deps, job)
  },
})

async function ownReplay(deps: Deps, identity: Identity, params: { id: string; replay_id: string }): Promise<Replay> {
  const endpoint = await ownEndpoint(deps, identity, params.id)
  const job = await deps.store.replays.getReplay(params.replay_id)
  if (job === undefined || job.webhookId !== endpoint.id) throw notFound('replay')
  return job
}

export const getEndpointReplay = route({
  method: 'GET',
  path: '/v1/endpoints/:id/replay/:replay_id',
  tag: 'Endpoints',
  summary: 'Get the progress of a replay job of an endpoint',
  description: 'The response has the same counts as the job of a webhook.',
  scope: 'read',
  params: ReplayById,
  status: 200,
  response: ReplaySchema,
  errors: [404],
  handler: async ({ identity, params }, deps) => await showReplay(deps, await ownReplay(deps, identity, params)),
})

export const cancelEndpointReplay = route({
  method: 'DELETE',
  path: '/v1/endpoints/:id/replay/:replay_id',
  tag: 'Endpoints',
  summary: 'Cancel a replay job of an endpoint',
  description: 'The gateway still sends the deliveries that the job has queued. A finished job does not change.',
  scope: 'manage',
  params: ReplayById,
  status: 200,
  response: ReplaySchema,
  errors: [404],
  async handler({ identity, params }, deps) {
    const job = await ownReplay(deps, identity, params)
    const cancelled = await deps.store.replays.cancelReplay(job.id)
    if (cancelled === undefined) throw notFound('replay')
    return await showReplay(deps, cancelled)
  },
})

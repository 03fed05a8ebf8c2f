import { Type } from 'typebox'
import { type ApiLogFilter, STATUS_CLASSES } from '../../domain/api-log.ts'
import { GatewayError, notFound } from '../../domain/errors.ts'
import type { StoredRequest } from '../../store/api-log/api-log.ts'
import type { Identity } from '../identity.ts'
import { pagesOf } from '../page.ts'
import { route } from '../route.ts'
import { ById, iso, listOf, Nullable, OneOf, pageQuery, Strict, Time } from '../schemas.ts'
import { timeOf } from './deliveries.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export const RequestSchema = Strict({
  id: Type.String(),
  request_id: Type.String({ description: 'The X-Request-Id of the answer.' }),
  method: Type.String(),
  path: Type.String({ description: 'Without the query.' }),
  route: Type.String({ description: 'The path as the reference names it.', examples: ['/v1/messages/{id}'] }),
  status: Type.Integer(),
  key_id: Type.String({
    description: 'The key, or `command_line` for a command on the gateway’s own machine that used none.',
  }),
  latency_ms: Type.Number(),
  code: Nullable(Type.String({ description: 'The code of the error.' })),
  error: Nullable(Type.String()),
  created_at: Time,
})

export const showRequest = (request: StoredRequest) => ({
  id: request.id,
  request_id: request.requestId,
  method: request.method,
  path: request.path,
  route: request.route.replace(/:([a-z_]+)/g, '{$1}'),
  status: request.status,
  key_id: request.keyId,
  latency_ms: request.latencyMs,
  code: request.code,
  error: request.error,
  created_at: iso(request.atMs),
})

export const listRequests = route({
  method: 'GET',
  path: '/v1/requests',
  tag: 'API keys',
  summary: 'The API log: what programs asked of the account, newest first',
  description:
    'Requests with a key, and commands on the gateway’s own machine that change something. Written once a second and kept for 3 days, 100,000 requests at most; never a body, a query or a header. With a filter a page may be short, or empty, and still have a `next_cursor`: there may be more further back.',
  scope: 'manage',
  query: Strict({
    ...pageQuery,
    key_id: Type.Optional(Type.String({ maxLength: 100 })),
    status: Type.Optional(OneOf(STATUS_CLASSES)),
    method: Type.Optional(OneOf(METHODS)),
    path: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'A part of the path.' })),
    reads: Type.Optional(
      OneOf(['show', 'hide'] as const, {
        default: 'show',
        description: '`hide` leaves out GET requests that succeeded, such as those of programs that poll.',
      }),
    ),
    request_id: Type.Optional(Type.String({ maxLength: 128 })),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'A part of the request id, of the error or of its code, or the status: `rate_limited`, `429`.',
      }),
    ),
    since: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601: requests from this time on.' })),
    until: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601: requests up to this time.' })),
  }),
  status: 200,
  work: 'heavy',
  response: listOf(RequestSchema),
  async handler({ identity, query }, deps) {
    requireWholeAccount(identity)
    const pages = pagesOf(deps, identity, 'requests', query)
    const sinceMs = timeOf('since', query.since)
    const untilMs = timeOf('until', query.until)
    const filter: ApiLogFilter = {
      ...(query.key_id !== undefined && { keyId: query.key_id }),
      ...(query.status !== undefined && { statusClass: query.status }),
      ...(query.method !== undefined && { method: query.method }),
      ...(query.path !== undefined && { path: query.path }),
      ...(query.reads === 'hide' && { withoutReads: true }),
      ...(query.request_id !== undefined && { requestId: query.request_id }),
      ...(query.search !== undefined && { search: query.search }),
      ...(sinceMs !== undefined && { sinceMs }),
      ...(untilMs !== undefined && { untilMs }),
    }
    const page = await deps.store.apiLog.listApiLog({
      accountId: identity.account.id,
      ...filter,
      ...pages.request,
    })
    return pages.answer(page, showRequest)
  },
})

export const getRequest = route({
  method: 'GET',
  path: '/v1/requests/:id',
  tag: 'API keys',
  summary: 'One request of the API log',
  description: 'Found by its id in the list. Bodies, queries and headers are not kept.',
  scope: 'manage',
  params: ById,
  status: 200,
  response: RequestSchema,
  errors: [404],
  async handler({ identity, params }, { store }) {
    requireWholeAccount(identity)
    const found = await store.apiLog.getLoggedRequest({ accountId: identity.account.id, id: params.id })
    if (found === undefined) throw notFound('request')
    return showRequest(found)
  },
})

/** Paths contain phone numbers. */
function requireWholeAccount({ sessionIds }: Identity): void {
  if (sessionIds !== null) throw new GatewayError('key_limited', 'this key is limited to certain numbers')
}

import { Type } from '../type.ts'
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
  request_id: Type.String({ description: 'The X-Request-Id of the response.' }),
  method: Type.String(),
  path: Type.String({ description: 'The path without the query.' }),
  route: Type.String({ description: 'The path as the reference writes it.', examples: ['/v1/messages/{id}'] }),
  status: Type.Integer(),
  key_id: Type.String({
    description: 'The key, or `command_line` for a command that ran on the gateway’s machine without a key.',
  }),
  latency_ms: Type.Number(),
  code: Nullable(Type.String({ description: 'The error code.' })),
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
  summary: 'List the requests in the API log, newest first',
  description:
    'The log has requests with a key, and commands on the gateway’s machine that change something. The gateway writes it once a second and keeps it for 3 days and up to 100,000 requests. It never stores a body, a query or a header. With a filter, a page may be short or empty and still have a `next_cursor`, because older requests may match.',
  scope: 'manage',
  query: Strict({
    ...pageQuery,
    key_id: Type.Optional(Type.String({ maxLength: 100 })),
    status: Type.Optional(OneOf(STATUS_CLASSES)),
    method: Type.Optional(OneOf(METHODS)),
    path: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'A substring of the path.' })),
    reads: Type.Optional(
      OneOf(['show', 'hide'] as const, {
        default: 'show',
        description: '`hide` omits successful GET requests, such as those of programs that poll.',
      }),
    ),
    request_id: Type.Optional(Type.String({ maxLength: 128 })),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'A substring of the request id, the error or its code, or the status: `rate_limited`, `429`.',
      }),
    ),
    since: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601: only requests from this time on.' })),
    until: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601: only requests up to this time.' })),
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
  summary: 'Get a request from the API log',
  description: 'Use the id from the list. The log has no bodies, queries or headers.',
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

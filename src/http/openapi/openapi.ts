import type { TSchema } from 'typebox'
import type { Scope } from '../../domain/api-key.ts'
import { VERSION } from '../../version.ts'
import { getOwn } from '../../runtime/get-own.ts'
import { eventSchemas } from './event-schemas.ts'
import { exampleOf } from './example.ts'
import { ANSWER_NAMES, BODY_NAMES, TAG_DESCRIPTIONS } from './names.ts'
import { NamedSchemas } from './schemas.ts'
import { sizeOf } from '../connection/read-body.ts'
import { type AnyRoute, bodyLimitOf, type Route } from '../route.ts'
import { accountRoutes, operatorRoutes } from '../routes.ts'
import { PROBLEM_TYPE } from '../prefers-problem.ts'
import { ErrorBody, ErrorCodeName, Problem } from '../schemas.ts'
import { FailureKind } from '../v1/deliveries.ts'
import { mayBeLeftOut } from '../validate.ts'

const MEANING: Record<number, string> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  400: 'A field is missing or invalid, or the current state does not allow the request. The error text names the cause.',
  401: 'The API key, or the operator token, is missing or invalid.',
  403: 'The key has no access: the resource belongs to another account, the key lacks a scope, or the account has not accepted the Terms.',
  404: 'The resource does not exist.',
  408: 'The request did not arrive in time.',
  409: 'No worker hosts the session, or its connection is down.',
  413: 'The body is larger than this route accepts.',
  415: 'The content type is not application/json.',
  416: 'The range is beyond the end of the file.',
  429: 'The request exceeds a limit. Wait at least Retry-After seconds.',
  500: 'Unexpected server error.',
  502: 'The database, the worker or the sandbox network did not respond. Retry a send with the same Idempotency-Key.',
}

/** The API as OpenAPI 3.1, made from the schemas that validate requests. */
export function makeOpenApi(serverUrl: string): Record<string, unknown> {
  const routes = [...accountRoutes, ...operatorRoutes]
  const named = nameSchemas(routes)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postern',
      version: VERSION,
      description:
        'A gateway for WhatsApp numbers: you send messages over HTTP and receive every event as a signed webhook.',
      contact: { name: 'The maintainers of Postern' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    security: [{ key: [] }],
    tags: Object.entries(TAG_DESCRIPTIONS).map(([name, description]) => ({ name, description })),
    paths: describeRoutes(routes, { account: 'key', operator: 'operator' }, named),
    webhooks: webhooks(named),
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key: ptn_ followed by 40 characters.' },
        operator: { type: 'http', scheme: 'bearer', description: 'The value of POSTERN_OPERATOR_TOKEN.' },
      },
      schemas: named.all,
    },
  }
}

/** The authentication of each kind of route, by the name of its security scheme. */
type Security = Partial<Record<AnyRoute['kind'], string | null>>

/** The named schemas of events, bodies and responses; those of the portal are named after their operation. */
export function nameSchemas(routes: readonly AnyRoute[]): NamedSchemas {
  const named = new NamedSchemas()
  named.add('Error', ErrorBody)
  named.add('Problem', Problem)
  named.add('ErrorCode', ErrorCodeName)
  named.add('FailureKind', FailureKind)
  for (const [kind, { schema }] of Object.entries(eventSchemas)) named.add(`${pascal(kind)}Event`, schema)
  for (const route of routes) {
    const id = operationId(route)
    if (route.contentType === undefined) named.add(getOwn(ANSWER_NAMES, id) ?? `${pascal(id)}Answer`, route.response)
    if (route.body !== undefined && route.file === undefined)
      named.add(getOwn(BODY_NAMES, id) ?? `${pascal(id)}Body`, route.body)
  }
  return named
}

const pascal = (name: string): string => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

export function describeRoutes(
  routes: readonly AnyRoute[],
  security: Security,
  named: NamedSchemas,
): Record<string, unknown> {
  const all = new Map<string, Record<string, unknown>>()
  for (const route of routes) {
    const path = route.path.replace(/:([a-z_]+)/g, '{$1}')
    all.set(path, {
      ...all.get(path),
      [route.method.toLowerCase()]: operation(route, security[route.kind] ?? null, named),
    })
  }
  return Object.fromEntries(all)
}

function operation(route: AnyRoute, security: string | null, named: NamedSchemas): Record<string, unknown> {
  const needed = neededScope(route)
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    security: security === null ? [] : [{ [security]: [] }],
    parameters: [
      ...parameters(named, route.params, 'path'),
      ...parameters(named, route.query, 'query', route.example?.query),
      ...parameters(named, route.headers, 'header', route.example?.headers),
    ],
    ...(route.body === undefined ? {} : { requestBody: requestBody(route, named) }),
    responses: responses(route, named),
    ...(needed === null ? {} : { 'x-scope': needed }),
  }
}

function operationId(route: Route): string {
  const words = route.path.replace(/^\/(v1|operator|sandbox)/, (_, area: string) => (area === 'v1' ? '' : `/${area}`))
  return `${route.method.toLowerCase()}${words.replace(/[^a-z]+([a-z]?)/g, (_, letter: string) => letter.toUpperCase())}`
}

interface ObjectSchema {
  properties?: Record<string, Record<string, unknown>>
  required?: string[]
}

function parameters(
  named: NamedSchemas,
  schema: TSchema | undefined,
  place: 'path' | 'query' | 'header',
  examples: Record<string, string> = {},
): unknown[] {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema
  const shown = new Map(Object.entries(examples).map(([name, value]) => [name.toLowerCase(), value]))
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name: place === 'header' ? name.replace(/\b[a-z]/g, letter => letter.toUpperCase()) : name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    ...(shown.has(name.toLowerCase()) ? { example: shown.get(name.toLowerCase()) } : {}),
    schema: named.refer(rest),
  }))
}

function requestBody(route: Route, named: NamedSchemas): unknown {
  if (route.file) return { required: true, content: { '*/*': { schema: route.body } } }
  const example = route.example?.body ?? exampleOf(route.body)
  return {
    required: !mayBeLeftOut(route.body!),
    content: { 'application/json': { schema: named.refer(route.body), example } },
  }
}

/** Every error status of the route, in order. Any route may find the database unreachable. */
function errorsOf(route: Route): number[] {
  const errors = new Set([401, 403, 429, 500, 502, ...(route.errors ?? [])])
  if (route.body !== undefined || route.query !== undefined || route.params !== undefined) errors.add(400)
  if (route.body !== undefined) for (const status of [413, 415]) errors.add(status)
  // Without a token in the settings the operator API does not exist.
  if (route.kind === 'operator') errors.add(404)
  return [...errors].sort((a, b) => a - b)
}

/** The scope that a key needs; `null` if any key may call it, or none. */
const neededScope = (route: AnyRoute): Scope | null => (route.kind === 'account' ? route.scope : null)

function responses(route: Route, named: NamedSchemas): Record<string, unknown> {
  const all: Record<string, unknown> = {
    [route.status]: {
      description: MEANING[route.status],
      headers: ANSWER_HEADERS,
      content: {
        [route.contentType ?? 'application/json']: {
          schema: named.refer(route.response),
          ...(route.contentType === undefined ? { example: exampleOf(route.response) } : {}),
        },
      },
    },
  }
  for (const status of errorsOf(route)) {
    all[status] = {
      description: errorTextOf(route, status),
      content: {
        'application/json': { schema: named.refer(ErrorBody) },
        [PROBLEM_TYPE]: { schema: named.refer(Problem) },
      },
      headers: {
        ...ANSWER_HEADERS,
        'X-Error-Code': { description: 'The error code, for programs.', schema: named.refer(ErrorCodeName) },
        ...(status === 429 ? { 'Retry-After': { schema: { type: 'integer', minimum: 1 } } } : {}),
      },
    }
  }
  return all
}

function errorTextOf(route: Route, status: number): string | undefined {
  if (status === 413) return `The body is larger than ${sizeOf(bodyLimitOf(route))}.`
  return status === 415 && route.file ? 'The content type does not name the type of the file.' : MEANING[status]
}

const ANSWER_HEADERS = {
  'X-Request-Id': { description: 'The id of the request in the log.', schema: { type: 'string' } },
}

const DELIVERY_HEADERS: Array<[string, string]> = [
  ['X-Webhook-ID', 'The id of the webhook.'],
  [
    'X-Message-ID',
    'Every attempt has the same id. Use it to remove duplicates; for a `message`, use it together with chat_jid.',
  ],
  ['X-Timestamp', 'The time of this attempt in Unix seconds. It equals t of the signature.'],
  ['X-Webhook-Signature', 't=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>." and the raw body, keyed with the secret>'],
]

/** The nine kinds of events that the gateway delivers. */
function webhooks(named: NamedSchemas): Record<string, unknown> {
  const entries = Object.entries(eventSchemas).map(([kind, { category, schema, summary }]) => [
    kind,
    {
      post: {
        operationId: `on_${kind}`,
        tags: ['Events'],
        summary,
        description: `The gateway posts this event to \`${category}_url\`.`,
        security: [],
        parameters: DELIVERY_HEADERS.map(([name, description]) => ({
          name,
          in: 'header',
          required: true,
          description,
          schema: { type: 'string' },
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: named.refer(schema), example: exampleOf(schema) } },
        },
        responses: {
          '2XX': { description: 'Your endpoint accepted the event. The gateway retries after any other response.' },
        },
      },
    },
  ])
  return Object.fromEntries(entries)
}

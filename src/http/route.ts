import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { Scope } from '../domain/api-key.ts'
import type { Identity } from './identity.ts'
import type { BodyShape } from './limits/json-shape.ts'
import type { Deps } from './deps.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One operation of the API: serving, validation, documentation and tests all use this one definition. */
export interface Route<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
> {
  /** The caller: an account, the operator of the gateway, or a visitor of the portal. */
  kind: 'account' | 'operator' | 'visitor'
  method: Method
  /** `/v1/webhooks/:id` */
  path: string
  tag: string
  summary: string
  description?: string
  params?: Params
  query?: Query
  headers?: TObject
  body?: Body
  /** The body is a file instead of JSON, and the handler reads it as a stream. Throws if a file cannot have the type. */
  file?: (contentType: string) => unknown
  /** In bytes, for a body that may need more than the usual `SMALL_BODY`. */
  bodyLimit?: number
  /** For a body with fewer values than usual. */
  bodyShape?: BodyShape
  /** The success status and its schema. */
  status: 200 | 201 | 202
  response: TSchema
  /** The type of the response, if it is not JSON. */
  contentType?: 'text/event-stream' | 'application/octet-stream'
  /** Statuses besides those of every route. */
  errors?: number[]
  /** A request that works, shown in the reference and tried by the tests. */
  example?: { body?: Static<Body>; query?: Record<string, string>; headers?: Record<string, string> }
  /**
   * How the scheduler treats it. Most reads take a place, and writes wait for a slot only; `heavy` routes take all places of
   * an account, `waiting` ones none, since they mostly wait for something else, and `free` ones are not scheduled.
   */
  work?: 'heavy' | 'waiting' | 'free'
}

/** Called by an account, whose identity the handler receives. */
export interface AccountRoute<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
> extends Route<Params, Query, Body> {
  kind: 'account'
  /** The scope that the key needs; `null`: any valid key. */
  scope: Scope | null
  /** Works before the Terms are accepted. */
  beforeTerms?: true
  handler: (request: IncomingOf<Params, Query, Body> & { identity: Identity }, deps: Deps) => Promise<unknown>
}

/** Called without an account, so without an identity. */
interface RouteWithoutAccount<
  Kind extends 'operator' | 'visitor',
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
> extends Route<Params, Query, Body> {
  kind: Kind
  handler: (request: IncomingOf<Params, Query, Body>, deps: Deps) => Promise<unknown>
}

/** Called by the operator of the gateway. */
export type OperatorRoute<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
> = RouteWithoutAccount<'operator', Params, Query, Body>

/** Called by a visitor of the portal who is not signed in. */
export type VisitorRoute<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
> = RouteWithoutAccount<'visitor', Params, Query, Body>

export type AnyRoute = AccountRoute | OperatorRoute | VisitorRoute

type IncomingOf<Params extends TSchema, Query extends TSchema, Body extends TSchema> = Incoming<
  Static<Params>,
  Static<Query>,
  Static<Body>
>

export interface Incoming<Params, Query, Body> {
  params: Params
  query: Query
  body: Body
  headers: FastifyRequest['headers']
  reply: FastifyReply
  /** The `traceparent` of the request's own span; `null` if spans are not collected. */
  trace: string | null
  /** Aborts when the client disconnects or has its response. */
  gone(): AbortSignal
  /** Whether the caller would still be admitted, for handlers that wait. */
  admitted(): Promise<boolean>
}

/** Ties the types of a route's schemas to its handler. */
export function route<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  definition: Omit<AccountRoute<Params, Query, Body>, 'kind'>,
): AccountRoute {
  return { kind: 'account', ...definition } as unknown as AccountRoute
}

/** The same for operations of the operator. */
export function operatorRoute<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  definition: Omit<OperatorRoute<Params, Query, Body>, 'kind'>,
): OperatorRoute {
  return { kind: 'operator', ...definition } as unknown as OperatorRoute
}

/** The same for operations of visitors of the portal. */
export function visitorRoute<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  definition: Omit<VisitorRoute<Params, Query, Body>, 'kind'>,
): VisitorRoute {
  return { kind: 'visitor', ...definition } as unknown as VisitorRoute
}

const SMALL_BODY = 65_536
/** A text of 65,536 characters, each of them escaped. */
export const LARGE_BODY = 1_048_576

export const bodyLimitOf = (route: Route): number => route.bodyLimit ?? SMALL_BODY

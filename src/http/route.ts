import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { Scope } from '../domain/api-key.ts'
import type { Identity } from './identity.ts'
import type { BodyShape } from './limits/json-shape.ts'
import type { Deps } from './deps.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One operation of the interface: what is served, validated, documented and tested comes from this one place. */
export interface Route<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
> {
  /** Who asks: an account, the operator of the gateway, or anybody who comes to the portal. */
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
  /** The body is no JSON but a file, which the handler reads as it comes. Throws where it is of no type. */
  file?: (contentType: string) => unknown
  /** In bytes, where the text or the file in a body may need more than the usual `SMALL_BODY`. */
  bodyLimit?: number
  /** Where a body needs fewer values than usual. */
  bodyShape?: BodyShape
  /** The success status and its schema. */
  status: 200 | 201 | 202
  response: TSchema
  /** What the answer is, where it is not JSON. */
  contentType?: 'text/event-stream'
  /** Statuses besides the ones that every route may answer. */
  errors?: number[]
  /** A request body that works, shown in the reference and tried by the tests. */
  example?: { body?: Static<Body>; query?: Record<string, string>; headers?: Record<string, string> }
  /**
   * What working on it is like. Most reads take a place, and what writes takes a turn alone; `heavy` answers take all
   * places of an account, `waiting` ones none, since somebody else makes them wait, and `free` ones wait for no turn.
   */
  work?: 'heavy' | 'waiting' | 'free'
}

/** Done for an account: the handler is told which. */
export interface AccountRoute<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
> extends Route<Params, Query, Body> {
  kind: 'account'
  /** What the key must be allowed to do; `null`: any valid key. */
  scope: Scope | null
  /** Works before the Terms are accepted. */
  beforeTerms?: true
  handler: (request: Asked<Params, Query, Body> & { identity: Identity }, deps: Deps) => Promise<unknown>
}

/** Done for somebody who is no account: there is no identity to ask for. */
interface NamelessRoute<
  Kind extends 'operator' | 'visitor',
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
> extends Route<Params, Query, Body> {
  kind: Kind
  handler: (request: Asked<Params, Query, Body>, deps: Deps) => Promise<unknown>
}

/** Done for the operator of the gateway. */
export type OperatorRoute<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
> = NamelessRoute<'operator', Params, Query, Body>

/** Done for somebody who comes to the portal and is nobody yet. */
export type VisitorRoute<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
> = NamelessRoute<'visitor', Params, Query, Body>

export type AnyRoute = AccountRoute | OperatorRoute | VisitorRoute

type Asked<Params extends TSchema, Query extends TSchema, Body extends TSchema> = Incoming<
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
  /** The `traceparent` of the request's own span; `null` where spans are not collected. */
  trace: string | null
  /** Aborts when the client has left or has its answer. */
  gone(): AbortSignal
  /** Whether whoever asks would still be let in, for handlers that wait. */
  admitted(): Promise<boolean>
}

/** Ties the types of a route's schemas to its handler. */
export function route<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  definition: Omit<AccountRoute<Params, Query, Body>, 'kind'>,
): AccountRoute {
  return { kind: 'account', ...definition } as unknown as AccountRoute
}

/** The same for what only the operator may ask. */
export function operatorRoute<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  definition: Omit<OperatorRoute<Params, Query, Body>, 'kind'>,
): OperatorRoute {
  return { kind: 'operator', ...definition } as unknown as OperatorRoute
}

/** And for what the portal's pages ask before somebody is signed in. */
export function visitorRoute<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  definition: Omit<VisitorRoute<Params, Query, Body>, 'kind'>,
): VisitorRoute {
  return { kind: 'visitor', ...definition } as unknown as VisitorRoute
}

const SMALL_BODY = 65_536
/** A text of 65,536 characters, each of them escaped. */
export const LARGE_BODY = 1_048_576

export const bodyLimitOf = (route: Route): number => route.bodyLimit ?? SMALL_BODY

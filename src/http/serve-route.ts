import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { GatewayError } from '../domain/errors.ts'
import { type Identity, requireScope, requireTerms } from './identity.ts'
import type { Deps } from './deps.ts'
import { streamBodies } from './connection/read-body.ts'
import {
  type AccountRoute,
  bodyLimitOf,
  type Incoming,
  type OperatorRoute,
  type Route,
  type VisitorRoute,
} from './route.ts'
import { PLACES_OF_ACCOUNT } from './limits/fair-scheduler.ts'
import { compileValidator, mayBeLeftOut, type Validate } from './validate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    identity: Identity | null
    /** Whether the caller would still be admitted: checked while a response stays open. Set at admission. */
    stillAdmitted: (() => Promise<boolean>) | null
  }
}

/** Authenticates an account, or throws; synchronously if its key is cached. */
export type Admit = (request: FastifyRequest) => Identity | Promise<Identity>
/** Admits a caller without an account, or throws. */
export type Gate = (request: FastifyRequest) => Promise<void>

/**
 * Serves a route in a fixed order of checks: authentication (401, 429), the Terms and the scope (403), and only then the
 * request itself (400). The first part runs before the body is read.
 */
export function serveRoute(app: FastifyInstance, route: AccountRoute, admit: Admit, deps: Deps): void {
  const admitWith = (request: FastifyRequest, identity: Identity): void => {
    request.identity = identity
    if (route.beforeTerms === undefined) requireTerms(identity)
    if (route.scope !== null) requireScope(identity, route.scope)
  }
  const onRequest: onRequestHookHandler = (request, _reply, done) => {
    const admitted = admit(request)
    if (admitted instanceof Promise) {
      admitted.then(identity => admitWith(request, identity)).then(() => done(), done)
      return
    }
    admitWith(request, admitted)
    done()
  }
  const answer: Answer = (incoming, { identity }) => route.handler({ ...incoming, identity: identity! }, deps)
  serve(app, route, { onRequest, answer }, deps)
}

/** The same for the operator, who has neither Terms nor scopes. */
export function serveOperatorRoute(app: FastifyInstance, route: OperatorRoute, gate: Gate, deps: Deps): void {
  serve(app, route, { onRequest: gate, answer: incoming => route.handler(incoming, deps) }, deps)
}

/** The same for visitors of the portal, who are only rate-limited. */
export function serveVisitorRoute(app: FastifyInstance, route: VisitorRoute, gate: Gate, deps: Deps): void {
  serve(app, route, { onRequest: gate, answer: incoming => route.handler(incoming, deps) }, deps)
}

type Answer = (incoming: Incoming<unknown, unknown, unknown>, request: FastifyRequest) => Promise<unknown>

function serve(
  app: FastifyInstance,
  route: Route,
  { onRequest, answer }: { onRequest: Gate | onRequestHookHandler; answer: Answer },
  deps: Deps,
): void {
  const { file } = route
  if (file !== undefined) {
    void app.register(async scope => {
      streamBodies(scope, file)
      serveIn(scope, route, { onRequest, answer }, deps)
    })
    return
  }
  serveIn(app, route, { onRequest, answer }, deps)
}

function serveIn(
  app: FastifyInstance,
  route: Route,
  { onRequest, answer }: { onRequest: Gate | onRequestHookHandler; answer: Answer },
  deps: Deps,
): void {
  const checks = validators(route)
  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: bodyLimitOf(route),
    config: route.bodyShape === undefined ? {} : { bodyShape: route.bodyShape },
    onRequest,
    handler: async (request, reply) => {
      const release = route.work === 'free' ? undefined : await takeSlot(route, request, deps)
      try {
        const answered = await work(request, reply)
        // The status of a file depends on the part of it that the client wants.
        if (answered instanceof Readable) void reply.send(answered)
        else if (!reply.sent) void reply.status(route.status).send(answered)
      } finally {
        // Without waiting for the client to read the response: the place is for the work alone.
        release?.()
      }
      return reply
    },
  })

  async function work(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const body = route.file ? request.body : bodyOf(route, request)
    checks.params?.(request.params)
    checks.query?.(request.query)
    checks.body?.(body)
    const { params, query, headers } = request
    const gone = () => abortWhenGone(reply)
    const admitted = async () => (await request.stillAdmitted?.()) ?? true
    const trace = request.span?.traceparent ?? null
    return await answer({ params, query, body, headers, reply, trace, gone, admitted }, request)
  }
}

function bodyOf(route: Route, request: FastifyRequest): unknown {
  if (route.body === undefined) return undefined
  return request.body ?? (mayBeLeftOut(route.body) ? {} : undefined)
}

/** Accounts take turns; visitors and operators are few and do not. Returns the function that frees the places. */
async function takeSlot(route: Route, request: FastifyRequest, { scheduler }: Deps): Promise<(() => void) | undefined> {
  const { identity } = request
  if (identity === null) return undefined
  const line = route.path.startsWith('/sandbox/') ? scheduler.sandbox : scheduler.store
  const release = await line.take(identity.account.id, placesOf(route))
  if (route.method !== 'GET' || !request.raw.socket.destroyed) return release
  release()
  throw new GatewayError('request_malformed', 'the client has closed the connection')
}

function placesOf({ method, contentType, work }: Route): number {
  if (work === 'waiting' || method !== 'GET' || contentType === 'text/event-stream') return 0
  return work === 'heavy' ? PLACES_OF_ACCOUNT : 1
}

function validators(route: Route): { params?: Validate; query?: Validate; body?: Validate } {
  return {
    ...(route.params === undefined ? {} : { params: compileValidator(route.params, 'params') }),
    ...(route.query === undefined ? {} : { query: compileValidator(route.query, 'query') }),
    ...(route.body === undefined || route.file ? {} : { body: compileValidator(route.body, 'body') }),
  }
}

/** Created only for handlers that use it: most responses are quicker than a client that disconnects. */
function abortWhenGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => controller.abort())
  return controller.signal
}

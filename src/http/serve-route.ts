import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Identity, requireScope, requireTerms } from './identity.ts'
import type { Parts } from './parts.ts'
import {
  type AccountRoute,
  bodyLimitOf,
  type Incoming,
  type OperatorRoute,
  type Route,
  type VisitorRoute,
} from './route.ts'
import { compileValidator, mayBeLeftOut, type Validate } from './validate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    identity: Identity | null
    /** Whether whoever was let in would still be: asked while an answer goes on. Set where somebody is let in. */
    stillAdmitted: (() => Promise<boolean>) | null
  }
}

/** Lets an account in, or throws. */
export type Admit = (request: FastifyRequest) => Promise<Identity>
/** Lets in whoever is no account, or throws. */
export type Gate = (request: FastifyRequest) => Promise<void>

/**
 * Serves a route in a fixed order of checks: who asks (401, 429), the Terms and the scope (403),
 * and only then what is asked (400). The first part runs before the body is read.
 */
export function serveRoute(app: FastifyInstance, route: AccountRoute, admit: Admit, parts: Parts): void {
  const onRequest = async (request: FastifyRequest) => {
    const identity = await admit(request)
    request.identity = identity
    if (route.beforeTerms === undefined) requireTerms(identity)
    if (route.scope !== null) requireScope(identity, route.scope)
  }
  serve(app, route, onRequest, (asked, { identity }) => route.handler({ ...asked, identity: identity! }, parts))
}

/** The same for the operator, who has neither Terms nor scopes. */
export function serveOperatorRoute(app: FastifyInstance, route: OperatorRoute, gate: Gate, parts: Parts): void {
  serve(app, route, gate, asked => route.handler(asked, parts))
}

/** And for visitors of the portal, who are only kept from coming too often. */
export function serveVisitorRoute(app: FastifyInstance, route: VisitorRoute, gate: Gate, parts: Parts): void {
  serve(app, route, gate, asked => route.handler(asked, parts))
}

type Asked = Incoming<unknown, unknown, unknown>

function serve(
  app: FastifyInstance,
  route: Route,
  onRequest: Gate,
  answer: (asked: Asked, request: FastifyRequest) => Promise<unknown>,
): void {
  const checks = validators(route)
  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: bodyLimitOf(route),
    config: route.bodyShape === undefined ? {} : { bodyShape: route.bodyShape },
    onRequest,
    handler: async (request, reply) => {
      const body = route.body === undefined ? undefined : (request.body ?? (mayBeLeftOut(route.body) ? {} : undefined))
      checks.params?.(request.params)
      checks.query?.(request.query)
      checks.body?.(body)
      const { params, query, headers } = request
      const gone = () => abortWhenGone(reply)
      const answered = await answer({ params, query, body, headers, reply, gone }, request)
      if (reply.sent) return reply
      return reply.status(route.status).send(answered)
    },
  })
}

function validators(route: Route): { params?: Validate; query?: Validate; body?: Validate } {
  return {
    ...(route.params === undefined ? {} : { params: compileValidator(route.params, 'params') }),
    ...(route.query === undefined ? {} : { query: compileValidator(route.query, 'query') }),
    ...(route.body === undefined ? {} : { body: compileValidator(route.body, 'body') }),
  }
}

/** Made only for the handlers that ask for it: most answers are quicker than a client that leaves. */
function abortWhenGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => controller.abort())
  return controller.signal
}

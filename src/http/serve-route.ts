import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Identity, requireScope, requireTerms } from './identity.ts'
import type { Parts } from './parts.ts'
import { bodyLimitOf, type Route } from './route.ts'
import { compileValidator, mayBeLeftOut, type Validate } from './validate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    identity: Identity | null
    /** Whether whoever was let in would still be: asked while an answer goes on. Set where somebody is let in. */
    stillAdmitted: (() => Promise<boolean>) | null
  }
}

export type Admit = (request: FastifyRequest) => Promise<Identity>

/**
 * Serves a route in a fixed order of checks: who asks (401, 429), the Terms and the scope (403),
 * and only then what is asked (400). The first part runs before the body is read.
 */
export function serveRoute(app: FastifyInstance, route: Route, path: string, admit: Admit, parts: Parts): void {
  const checks = validators(route)
  app.route({
    method: route.method,
    url: path,
    bodyLimit: bodyLimitOf(route),
    onRequest: async request => {
      const identity = await admit(request)
      request.identity = identity
      if (route.beforeTerms === undefined) requireTerms(identity)
      if (route.scope !== null) requireScope(identity, route.scope)
    },
    handler: async (request, reply) => {
      const body = route.body === undefined ? undefined : (request.body ?? (mayBeLeftOut(route.body) ? {} : undefined))
      checks.params?.(request.params)
      checks.query?.(request.query)
      checks.body?.(body)
      const { identity, params, query, headers } = request
      const gone = () => abortWhenGone(reply)
      const answer = await route.handler({ identity: identity!, params, query, body, headers, reply, gone }, parts)
      if (reply.sent) return reply
      return reply.status(route.status).send(answer)
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

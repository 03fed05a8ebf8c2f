import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GatewayError, notFound } from '../domain/errors.ts'

type ShowPage = (request: FastifyRequest, reply: FastifyReply) => boolean

/** A known path with another method is 405, a page is shown, anything else is 404. Call before the routes are added. */
export function rejectUnknownPaths(app: FastifyInstance, showPage: ShowPage): void {
  const known: Array<{ methods: string[]; shape: RegExp }> = []
  app.addHook('onRoute', ({ method, url }) => {
    known.push({ methods: [method].flat(), shape: shapeOf(url) })
  })
  const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?')[0]!
    const allowed = [...new Set(known.filter(({ shape }) => shape.test(path)).flatMap(({ methods }) => methods))]
    if (allowed.length === 0) {
      if (showPage(request, reply)) return reply
      throw notFound('path')
    }
    void reply.header('allow', allowed.join(', '))
    throw new GatewayError('method_not_allowed', `${request.method} is not allowed here; use ${allowed.join(' or ')}`)
  }
  // Before the body is read, so that an unknown path costs little.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    refuse(request, reply).then(() => done(), done)
  })
  app.setNotFoundHandler(refuse)
}

function shapeOf(url: string): RegExp {
  const escaped = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[a-z_]+/g, '[^/]+')
  return new RegExp(`^${escaped.replace(/\\\*$/, '.*')}$`)
}

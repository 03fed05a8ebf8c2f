import type { FastifyInstance } from 'fastify'
import { GatewayError, notFound } from '../domain/errors.ts'

/** A known path with another method is 405, anything else 404. Call before the routes are added. */
export function refuseUnknownPaths(app: FastifyInstance): void {
  const known: Array<{ methods: string[]; shape: RegExp }> = []
  app.addHook('onRoute', ({ method, url }) => {
    known.push({ methods: [method].flat(), shape: shapeOf(url) })
  })
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0]!
    const allowed = [...new Set(known.filter(({ shape }) => shape.test(path)).flatMap(({ methods }) => methods))]
    if (allowed.length === 0) throw notFound('path')
    void reply.header('allow', allowed.join(', '))
    throw new GatewayError('method_not_allowed', `${request.method} is not allowed here; use ${allowed.join(' or ')}`)
  })
}

function shapeOf(url: string): RegExp {
  const escaped = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[a-z_]+/g, '[^/]+')
  return new RegExp(`^${escaped.replace(/\\\*$/, '.*')}$`)
}

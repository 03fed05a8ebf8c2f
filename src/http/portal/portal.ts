import type { FastifyInstance } from 'fastify'
import type { Parts } from '../parts.ts'
import { accountRoutes, operatorRoutes } from '../routes.ts'
import { type Gate, serveOperatorRoute, serveRoute, serveVisitorRoute } from '../serve-route.ts'
import { makeAdmit, operatorOnly } from './admit.ts'
import { clientAddress } from './client-address.ts'
import { userRoutes, visitorRoutes } from './portal-routes.ts'
import { requireSameOrigin } from './same-origin.ts'

/** The operations of the interface under a cookie session, and what only the portal needs. */
export function servePortal(app: FastifyInstance, parts: Parts): void {
  const admit = makeAdmit(parts)
  void app.register(
    async portal => {
      portal.addHook('onRequest', async request => requireSameOrigin(request, parts.config, parts.publicUrl()))
      for (const route of visitorRoutes) serveVisitorRoute(portal, route, notTooOften(parts), parts)
      for (const route of [...accountRoutes, ...userRoutes]) serveRoute(portal, route, admit, parts)
      for (const route of operatorRoutes) serveOperatorRoute(portal, route, operatorOnly(admit), parts)
    },
    { prefix: '/portal/api' },
  )
}

/** Whoever writes is counted by address, before anything else is looked at. */
function notTooOften({ attempts, publicUrl }: Parts): Gate {
  return async request => {
    if (request.method !== 'GET') attempts.knock(clientAddress(request, publicUrl()))
  }
}

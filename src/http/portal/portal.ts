import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { accountRoutes, operatorRoutes } from '../routes.ts'
import { type Gate, serveOperatorRoute, serveRoute, serveVisitorRoute } from '../serve-route.ts'
import { makeAdmit, operatorOnly } from './admit.ts'
import { clientAddress } from './client-address.ts'
import { userRoutes, visitorRoutes } from './portal-routes.ts'
import { requireSameOrigin } from './same-origin.ts'

/** The operations of the interface under a cookie session, and what only the portal needs. */
export function servePortal(app: FastifyInstance, deps: Deps): void {
  const admit = makeAdmit(deps)
  void app.register(
    async portal => {
      portal.addHook('onRequest', async request => requireSameOrigin(request, deps.config, deps.publicUrl()))
      for (const route of visitorRoutes) serveVisitorRoute(portal, route, notTooOften(deps), deps)
      for (const route of [...accountRoutes, ...userRoutes]) serveRoute(portal, route, admit, deps)
      for (const route of operatorRoutes) serveOperatorRoute(portal, route, operatorOnly(admit), deps)
    },
    { prefix: '/portal/api' },
  )
}

/** Whoever writes is counted by address, before anything else is looked at. */
function notTooOften({ attempts, publicUrl }: Deps): Gate {
  return async request => {
    if (request.method !== 'GET') attempts.knock(clientAddress(request, publicUrl()))
  }
}

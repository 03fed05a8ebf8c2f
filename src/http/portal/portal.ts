import type { FastifyInstance } from 'fastify'
import { makeSignInAttempts } from '../../actions/sign-in-attempts.ts'
import type { Parts } from '../parts.ts'
import { accountRoutes, operatorRoutes } from '../routes.ts'
import { serveOperatorRoute, serveRoute } from '../serve-route.ts'
import { makeAdmit, operatorOnly } from './admit.ts'
import { serveLive } from './live.ts'
import { requireSameOrigin } from './same-origin.ts'
import { serveSignIn } from './sign-in-routes.ts'
import { getStats } from './stats.ts'
import { serveUser } from './user-routes.ts'

/** The operations of the interface under a cookie session, and what only the portal needs. */
export function servePortal(app: FastifyInstance, context: Parts): void {
  const parts = { ...context, attempts: makeSignInAttempts() }
  const admit = makeAdmit(parts)
  void app.register(
    async portal => {
      portal.addHook('onRequest', async request => requireSameOrigin(request, parts.config, parts.publicUrl()))
      serveSignIn(portal, parts)
      serveUser(portal, parts, admit)
      serveLive(portal, parts, admit)
      for (const route of [...accountRoutes, getStats]) serveRoute(portal, route, admit, parts)
      for (const route of operatorRoutes) serveOperatorRoute(portal, route, operatorOnly(admit), parts)
    },
    { prefix: '/portal/api' },
  )
}

import { VERSION } from '../../version.ts'
import { describeRoutes, nameSchemas } from '../openapi/openapi.ts'
import { userRoutes, visitorRoutes } from './portal-routes.ts'

/** The API of the portal beyond the public one: the portal's types are made from it. No gateway serves it. */
export function makePortalOpenApi(): Record<string, unknown> {
  const routes = [...visitorRoutes, ...userRoutes]
  const named = nameSchemas(routes)
  return {
    openapi: '3.1.0',
    info: { title: 'Postern portal', version: VERSION, description: 'The API of the portal, below /portal/api.' },
    servers: [{ url: '/portal/api' }],
    paths: describeRoutes(routes, { account: 'cookie', visitor: null }, named),
    components: {
      securitySchemes: { cookie: { type: 'apiKey', in: 'cookie', name: 'postern' } },
      schemas: named.all,
    },
  }
}

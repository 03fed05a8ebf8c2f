import { VERSION } from '../../version.ts'
import { describeRoutes, errorSchemas } from '../openapi.ts'
import { userRoutes, visitorRoutes } from './portal-routes.ts'

/** What the portal asks for beyond the public interface: the pages' types are made from it. No gateway serves it. */
export function makePortalOpenApi(): Record<string, unknown> {
  return {
    openapi: '3.1.0',
    info: { title: 'Postern portal', version: VERSION, description: 'Below /portal/api; for the portal alone.' },
    servers: [{ url: '/portal/api' }],
    paths: describeRoutes([...visitorRoutes, ...userRoutes], { account: 'cookie', visitor: null }),
    components: {
      securitySchemes: { cookie: { type: 'apiKey', in: 'cookie', name: 'postern' } },
      schemas: errorSchemas,
    },
  }
}

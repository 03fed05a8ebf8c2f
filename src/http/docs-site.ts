import type { FastifyInstance } from 'fastify'
import { GatewayError } from '../domain/errors.ts'
import { cachedPage } from './cached-page.ts'
import { makeOpenApi } from './openapi/openapi.ts'
import { secureHeaders } from './portal/page-headers.ts'
import { notBuiltPage } from './portal/plain-pages.ts'
import { siteFiles } from './site-files.ts'

/** The documentation: pages from the build, and the OpenAPI document. */
export function serveDocs(app: FastifyInstance, publicUrl: () => string): void {
  const document = cachedPage('application/json; charset=utf-8', () =>
    JSON.stringify(makeOpenApi(publicUrl()), null, 2),
  )
  app.get('/openapi.json', async (request, reply) => document(request, reply))
  const files = siteFiles()
  for (const [path, send] of files.all) {
    app.get(path, async (request, reply) => send(request, secureHeaders(reply, publicUrl())))
  }
  if (files.all.size === 0) {
    app.get('/docs', async (_request, reply) =>
      secureHeaders(reply, publicUrl())
        .type('text/html; charset=utf-8')
        .status(503)
        .send(notBuiltPage('documentation')),
    )
    return
  }
  app.get('/docs/', async (_request, reply) => reply.redirect('/docs', 308))
  app.get('/docs/*', async (request, reply) => {
    if (!(request.headers.accept ?? '').includes('text/html'))
      throw new GatewayError('path_not_found', 'path not found')
    return files.nowhere(request, secureHeaders(reply, publicUrl()).status(404))
  })
}

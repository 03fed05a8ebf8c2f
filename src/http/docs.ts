import type { FastifyInstance } from 'fastify'
import { renderDocs } from './docs-page.ts'
import { DOCS_CSS } from './docs-style.ts'
import { makeOpenApi } from './openapi.ts'

const CSP =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The reference, rendered here from the same document: no script, no request to anywhere. */
export function serveDocs(app: FastifyInstance, publicUrl: () => string): void {
  app.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(makeOpenApi(publicUrl()), null, 2)),
  )
  app.get('/docs', async (_request, reply) =>
    reply
      .header('content-security-policy', CSP)
      .header('referrer-policy', 'no-referrer')
      .type('text/html; charset=utf-8')
      .send(renderDocs(publicUrl())),
  )
  app.get('/docs/style.css', async (_request, reply) => reply.type('text/css; charset=utf-8').send(DOCS_CSS))
}

import type { FastifyInstance } from 'fastify'
import { renderDocs } from './docs-page.ts'
import { DOCS_CSS } from './docs-style.ts'
import { ERRORS_PAGE } from './error-response.ts'
import { renderErrors } from './errors-page.ts'
import { keepPage } from './kept-page.ts'
import { makeOpenApi } from './openapi.ts'

const CSP =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The reference, rendered here from the same document: no script, no request to anywhere. */
export function serveDocs(app: FastifyInstance, publicUrl: () => string): void {
  const document = keepPage('application/json; charset=utf-8', () => JSON.stringify(makeOpenApi(publicUrl()), null, 2))
  const page = keepPage('text/html; charset=utf-8', () => renderDocs(publicUrl()))
  const style = keepPage('text/css; charset=utf-8', () => DOCS_CSS)
  app.get('/openapi.json', async (request, reply) => document(request, reply))
  const errors = keepPage('text/html; charset=utf-8', renderErrors)
  for (const [path, shown] of [
    ['/docs', page],
    [ERRORS_PAGE, errors],
  ] as const) {
    app.get(path, async (request, reply) => {
      void reply.header('content-security-policy', CSP).header('referrer-policy', 'no-referrer')
      return shown(request, reply)
    })
  }
  app.get('/docs/style.css', async (request, reply) => style(request, reply))
}

import type { FastifyInstance } from 'fastify'
import { GatewayError } from '../domain/errors.ts'
import { cachedPage } from './cached-page.ts'
import { makeOpenApi } from './openapi/openapi.ts'
import { secureHeaders } from './portal/page-headers.ts'
import { notBuiltPage } from './portal/plain-pages.ts'
import { join } from 'node:path'
import { PACKAGE_FOLDER } from '../runtime/package-folder.ts'
import { builtFiles, type Send } from './built-files.ts'

/** The documentation: pages from the build, and the OpenAPI document. */
export function serveDocs(app: FastifyInstance, publicUrl: () => string): void {
  const document = cachedPage('application/json; charset=utf-8', () =>
    JSON.stringify(makeOpenApi(publicUrl()), null, 2),
  )
  app.get('/openapi.json', async (request, reply) => document(request, reply))
  const { pages, notFound } = siteFiles()
  if (pages.size === 0) {
    app.get('/docs', async (_request, reply) =>
      secureHeaders(reply, publicUrl())
        .type('text/html; charset=utf-8')
        .status(503)
        .send(notBuiltPage('documentation')),
    )
    return
  }
  app.get('/docs', async (request, reply) => pages.get('')!(request, secureHeaders(reply, publicUrl())))
  app.get('/docs/', async (_request, reply) => reply.redirect('/docs', 308))
  app.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const send = pages.get(request.params['*'])
    if (send !== undefined) return send(request, secureHeaders(reply, publicUrl()))
    if (!(request.headers.accept ?? '').includes('text/html'))
      throw new GatewayError('path_not_found', 'path not found')
    return notFound!(request, secureHeaders(reply, publicUrl()).status(404))
  })
}

/** The built pages are beside the compiled program, whether this file runs from the sources or compiled. */
const BUILT = join(PACKAGE_FOLDER, 'dist/docs')

interface SiteFiles {
  /** By the path below `/docs/`; that of the first page is empty. No pages: the documentation was not built. */
  pages: ReadonlyMap<string, Send>
  notFound: Send | undefined
}

const NOT_FOUND_PAGE = '404.html'

/** The pages of the documentation and their files. */
function siteFiles(): SiteFiles {
  const files = builtFiles(BUILT)
  const notFound = files.get(NOT_FOUND_PAGE)
  files.delete(NOT_FOUND_PAGE)
  return { pages: new Map([...files].map(([name, send]) => [pathOf(name), send])), notFound }
}

const pathOf = (name: string): string => (name === 'index.html' ? '' : name.replace(/\.html$/, ''))

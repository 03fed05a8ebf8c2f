import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PACKAGE_FOLDER } from '../../runtime/package-folder.ts'
import { builtFiles } from '../built-files.ts'
import { cachedPage } from '../cached-page.ts'
import { secureHeaders } from './page-headers.ts'
import { notBuiltPage } from './plain-pages.ts'
import { termsPage } from './terms-page.ts'

/** The built portal. */
const BUILT = join(PACKAGE_FOLDER, 'portal/dist')
/** Paths of the API: an unknown path below them is never a page. */
const NOT_PAGES =
  /^\/(v1|operator|sandbox\/(sessions|pairings|deliveries)|portal\/api|assets|metrics|healthz|readyz|openapi\.json)(\/|$)/

export interface Pages {
  serve(app: FastifyInstance): void
  /** Serves the page to a browser that opens a page's address; `false` if the path is not a page. */
  showPage(request: FastifyRequest, reply: FastifyReply): boolean
}

export interface PageOptions {
  publicUrl: () => string
  tosVersion: string
  builtDir?: string
}

/** The portal's files. Every path that a browser opens as a page gets the one page, which routes in the browser. */
export function makePages({ publicUrl, tosVersion, builtDir = BUILT }: PageOptions): Pages {
  const index = join(builtDir, 'index.html')
  const html = existsSync(index) ? readFileSync(index, 'utf8') : undefined

  const terms = cachedPage('text/html; charset=utf-8', () => termsPage(tosVersion))

  function show(reply: FastifyReply): FastifyReply {
    return secureHeaders(reply, publicUrl())
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .status(html === undefined ? 503 : 200)
      .send(html ?? notBuiltPage('portal'))
  }

  return {
    serve(app) {
      app.get('/', async (_request, reply) => show(reply))
      app.get('/sign-in', async (_request, reply) => show(reply))
      app.get('/terms', async (request, reply) => terms(request, secureHeaders(reply, publicUrl())))
      if (html !== undefined) serveFiles(app, builtDir)
    },
    showPage(request, reply) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const path = request.url.split('?')[0]!
      if (NOT_PAGES.test(path) || !(request.headers.accept ?? '').includes('text/html')) return false
      void show(reply)
      return true
    },
  }
}

function serveFiles(app: FastifyInstance, root: string): void {
  const headers = { 'cache-control': 'no-cache', 'cross-origin-resource-policy': 'same-origin' }
  for (const [name, send] of builtFiles(root))
    if (name !== 'index.html') app.get(`/${name}`, async (request, reply) => send(request, reply.headers(headers)))
}

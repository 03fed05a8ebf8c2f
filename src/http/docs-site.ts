import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GatewayError } from '../domain/errors.ts'
import { cachedPage } from './cached-page.ts'
import { makeOpenApi } from './openapi/openapi.ts'
import { secureHeaders } from './portal/page-headers.ts'
import { notBuiltPage } from './portal/plain-pages.ts'
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { getOwn } from '../runtime/get-own.ts'
import { PACKAGE_FOLDER } from '../runtime/package-folder.ts'

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
    return notFound(request, secureHeaders(reply, publicUrl()).status(404))
  })
}

/** The built pages are beside the compiled program, whether this file runs from the sources or compiled. */
const BUILT = join(PACKAGE_FOLDER, 'dist/docs')

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
}

type Send = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

interface SiteFiles {
  /** By the path below `/docs/`; that of the first page is empty. No pages: the documentation was not built. */
  pages: ReadonlyMap<string, Send>
  notFound: Send
}

const NOT_FOUND_PAGE = '404.html'

/** The pages of the documentation and their files, each read at its first request. */
function siteFiles(root = BUILT): SiteFiles {
  const names = existsSync(root)
    ? readdirSync(root, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile() && getOwn(TYPES, extname(entry.name)) !== undefined)
        .map(entry => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    : []
  const paths = names.filter(name => name !== NOT_FOUND_PAGE).map(name => [pathOf(name), sendFile(root, name)] as const)
  return { pages: new Map(paths), notFound: sendFile(root, NOT_FOUND_PAGE) }
}

const pathOf = (name: string): string => (name === 'index.html' ? '' : name.replace(/\.html$/, ''))

const ENCODINGS = { br: '.br', gzip: '.gz' } as const
type Encoding = keyof typeof ENCODINGS

interface Kept {
  bytes: Buffer
  etag: string
}

function sendFile(root: string, name: string): Send {
  const path = join(root, name)
  const type = getOwn(TYPES, extname(name))!
  const isImmutable = name.startsWith('assets/')
  const kept = new Map<Encoding | null, Kept | null>()
  const variant = (encoding: Encoding | null): Kept | null => {
    if (!kept.has(encoding)) kept.set(encoding, read(encoding === null ? path : path + ENCODINGS[encoding]))
    return kept.get(encoding)!
  }
  return (request, reply) => {
    const encoding = (['br', 'gzip'] as const).find(each => accepts(request, each) && variant(each) !== null) ?? null
    const { bytes, etag } = variant(encoding)!
    void reply.type(type).header('etag', etag).header('vary', 'accept-encoding')
    if (isImmutable) void reply.header('cache-control', 'public, max-age=31536000, immutable')
    if (reply.statusCode === 200 && request.headers['if-none-match'] === etag) return reply.status(304).send()
    if (encoding !== null) void reply.header('content-encoding', encoding)
    return reply.send(bytes)
  }
}

function read(path: string): Kept | null {
  if (!existsSync(path)) return null
  const bytes = readFileSync(path)
  return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` }
}

/** Whether a client accepts this encoding: it names it, and not with the weight 0. */
function accepts({ headers }: FastifyRequest, encoding: Encoding): boolean {
  const named = String(headers['accept-encoding'] ?? '')
    .split(',')
    .map(each => each.trim().split(';'))
    .find(([name]) => name === encoding)
  return named !== undefined && !/^\s*q=0(\.0*)?$/.test(named[1] ?? '')
}

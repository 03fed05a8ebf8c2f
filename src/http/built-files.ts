import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { getOwn } from '../runtime/get-own.ts'
import { isKnown } from './cached-page.ts'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
}

export type Send = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** The files of these types that a build has left in a folder, by their paths below it; none if nothing was built. */
export function builtFiles(root: string): Map<string, Send> {
  if (!existsSync(root)) return new Map()
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && getOwn(TYPES, extname(entry.name)) !== undefined)
    .map(entry => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
  return new Map(names.map(name => [name, sendFile(root, name)]))
}

const ENCODINGS = { br: '.br', gzip: '.gz' } as const
type Encoding = keyof typeof ENCODINGS

interface Kept {
  bytes: Buffer
  etag: string
}

/** The file is read at its first request. */
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
    if (reply.statusCode === 200 && isKnown(request, etag)) return reply.status(304).send()
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

import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A page that is the same for every client: rendered at its first request, then kept as bytes. */
export function cachedPage(type: string, render: () => string) {
  let kept: { bytes: Buffer; etag: string } | undefined
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    kept ??= prepare(render())
    void reply.header('etag', kept.etag).type(type)
    if (isKnown(request, kept.etag)) return reply.status(304).send()
    return reply.send(kept.bytes)
  }
}

function prepare(text: string): { bytes: Buffer; etag: string } {
  return { bytes: Buffer.from(text), etag: `"${hash('sha256', text, 'base64url')}"` }
}

/** Whether the client has this version: it names the tag, perhaps as a weak one, which a proxy that compresses makes of it. */
export const isKnown = ({ headers }: FastifyRequest, etag: string): boolean =>
  (headers['if-none-match'] ?? '').split(',').some(tag => tag.trim().replace(/^W\//, '') === etag)

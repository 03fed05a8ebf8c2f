import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { GatewayError } from '../../domain/errors.ts'

/**
 * A write comes from the portal's own pages or not at all. Browsers name the page's origin with every write; a request
 * without it counts only where the browser itself vouches for it.
 */
export function requireSameOrigin(request: FastifyRequest, config: Pick<Config, 'publicUrl'>, publicUrl: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  const own = origin === undefined ? site === 'same-origin' : isOwn(origin, request, config, publicUrl)
  if (own && (site === undefined || site === 'same-origin')) return
  throw new GatewayError(
    'origin_not_allowed',
    `Origin must be ${publicUrl}; if browsers use another address, set POSTERN_PUBLIC_URL to it`,
  )
}

function isOwn(origin: string, request: FastifyRequest, config: Pick<Config, 'publicUrl'>, publicUrl: string): boolean {
  if (origin === publicUrl) return true
  if (config.publicUrl !== null) return false
  const { host = '' } = request.headers
  return origin === `http://${host}` && isFixedHost(host)
}

/** A name that no foreign name server can point at this machine. */
function isFixedHost(host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || isIP(name) !== 0
}

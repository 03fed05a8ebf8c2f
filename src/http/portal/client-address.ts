import type { FastifyRequest } from 'fastify'
import { addressOf } from '../../domain/client-network.ts'

/** Longer than any address with its zone and port. */
const MAX_WRITTEN = 80

/**
 * The client's address, for limits on failed attempts. The gateway has no TLS: if its public address is https, it runs
 * behind a proxy, and the last forwarded address is the one that the proxy added.
 */
export function clientAddress(request: FastifyRequest, publicUrl: string): string {
  const own = addressOf(request.ip) ?? request.ip
  const forwarded = request.headers['x-forwarded-for']
  if (!publicUrl.startsWith('https:') || forwarded === undefined) return own
  const last = [forwarded].flat().join(',').split(',').at(-1)!.trim()
  return last.length > MAX_WRITTEN ? own : (addressOf(last) ?? own)
}

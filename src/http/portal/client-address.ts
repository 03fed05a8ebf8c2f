import type { FastifyRequest } from 'fastify'
import { addressOf } from '../../domain/client-network.ts'

/** Longer than any address with its zone and port. */
const MAX_WRITTEN = 80

/**
 * Who asks, for slowing down guesses. The gateway itself speaks no TLS: where its public address is https a proxy
 * stands before it, and the last address that it was passed on from is the proxy's own word.
 */
export function clientAddress(request: FastifyRequest, publicUrl: string): string {
  const own = addressOf(request.ip) ?? request.ip
  const forwarded = request.headers['x-forwarded-for']
  if (!publicUrl.startsWith('https:') || forwarded === undefined) return own
  const last = [forwarded].flat().join(',').split(',').at(-1)!.trim()
  return last.length > MAX_WRITTEN ? own : (addressOf(last) ?? own)
}

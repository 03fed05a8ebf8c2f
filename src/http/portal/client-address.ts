import type { FastifyRequest } from 'fastify'

/**
 * Who asks, for slowing down guesses. The gateway itself speaks no TLS: where its public address is https a proxy
 * stands before it, and the last address that it was passed on from is the proxy's own word.
 */
export function clientAddress(request: FastifyRequest, publicUrl: string): string {
  const forwarded = request.headers['x-forwarded-for']
  if (!publicUrl.startsWith('https:') || forwarded === undefined) return request.ip
  const last = [forwarded].flat().join(',').split(',').at(-1)!.trim()
  return last === '' || last.length > 64 ? request.ip : last
}

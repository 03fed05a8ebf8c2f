import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { GatewayError } from '../domain/errors.ts'

export function bearsToken(request: FastifyRequest, token: string): boolean {
  const given = Buffer.from(request.headers.authorization ?? '')
  const wanted = Buffer.from(`Bearer ${token}`)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

export const notTheOperator = (): GatewayError =>
  new GatewayError('operator_token_invalid', 'missing or invalid operator token')

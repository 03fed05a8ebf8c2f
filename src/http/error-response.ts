import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, GatewayError } from '../domain/errors.ts'
import { lookUp } from '../domain/look-up.ts'
import type { Log } from '../log.ts'
import { StoreUnavailable } from '../store/tx.ts'

const STATUS: Record<ErrorCode, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  offline: 409,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal: 500,
  unavailable: 502,
}

/** What the server itself refuses before a handler runs. */
const SERVER_REFUSALS: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Content-Type must be application/json'],
  FST_ERR_CTP_EMPTY_TYPE: ['unsupported_media_type', 'Content-Type must be application/json'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid', 'body is not valid JSON'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid', 'Content-Length does not match the body'],
  FST_ERR_BAD_URL: ['invalid', 'path is not a valid URL'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'path not found'],
}

/** Turns any failure into `{"error": …}` with its status; what the caller may not read goes to the log alone. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): void {
  const refusal = toRefusal(error)
  if (refusal.code === 'internal' || refusal.code === 'unavailable') {
    log.error({ err: error, route: request.routeOptions.url }, 'request.failed')
  }
  if (refusal.code === 'rate_limited') {
    void reply.header('retry-after', Math.max(1, Math.ceil((refusal.retryAfterMs ?? 1000) / 1000)))
  }
  if (refusal.code === 'unauthenticated') void reply.header('www-authenticate', 'Bearer')
  void reply.status(STATUS[refusal.code]).header('content-type', 'application/json; charset=utf-8')
  void reply.serializer(JSON.stringify).send({ error: refusal.message })
}

function toRefusal(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  if (error instanceof StoreUnavailable) {
    return new GatewayError('unavailable', 'the request could not be stored; retry with the same Idempotency-Key')
  }
  const { code, name, statusCode } = error as { code?: string; name?: string; statusCode?: number }
  const known = code === undefined ? undefined : lookUp(SERVER_REFUSALS, code)
  if (known !== undefined) return new GatewayError(...known)
  if (name === 'SyntaxError') return new GatewayError('invalid', 'body is not valid JSON')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new GatewayError('invalid', 'the request is malformed')
  }
  return new GatewayError('internal', 'internal server error')
}

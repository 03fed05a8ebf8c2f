import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode, ErrorKind } from '../domain/error-codes.ts'
import { GatewayError, malformed } from '../domain/errors.ts'
import { getOwn } from '../runtime/get-own.ts'
import type { Log } from '../observability/log.ts'
import { StoreUnavailable } from '../store/transaction.ts'
import { ERROR_DOCS } from './openapi/error-docs.ts'
import { PROBLEM_TYPE, prefersProblem } from './prefers-problem.ts'

export const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timed_out: 408,
  offline: 409,
  too_large: 413,
  unsupported_media_type: 415,
  range_unsatisfiable: 416,
  expectation_failed: 417,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 502,
}

/** Errors of the framework before a handler runs. */
const FRAMEWORK_ERRORS: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Content-Type must be application/json'],
  FST_ERR_CTP_EMPTY_TYPE: ['unsupported_media_type', 'Content-Type must be application/json'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['body_invalid', 'body is not valid JSON'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['body_invalid', 'Content-Length does not match the body'],
  FST_ERR_BAD_URL: ['request_malformed', 'path is not a valid URL'],
  FST_ERR_MAX_PARAM_LENGTH: ['path_not_found', 'path not found'],
}

/** The page, served by the gateway itself, that explains each code. */
const ERRORS_PAGE = '/docs/errors'

interface ErrorDeps {
  log: Log
  publicUrl(): string
}

/**
 * Turns any error into a response with its status; details that the caller may not read go to the log alone. The body is
 * the specification's `{"error": …}`, or an RFC 9457 problem for clients that request one.
 */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, deps: ErrorDeps): void {
  const rejection = toGatewayError(error, request.method)
  const { kind } = rejection
  if (kind === 'internal' || kind === 'unavailable') {
    deps.log.error({ err: error, route: request.routeOptions.url, request: request.id }, 'request.failed')
  }
  if (kind === 'rate_limited') {
    void reply.header('retry-after', Math.max(1, Math.ceil((rejection.retryAfterMs ?? 1000) / 1000)))
  }
  if (kind === 'unauthenticated') void reply.header('www-authenticate', 'Bearer')
  void reply.status(STATUS[kind]).headers(errorHeaders(rejection, request.id))
  request.rejection = rejection
  // As bytes: the framework would add a charset to the type of a string or an object.
  if (prefersProblem(request.headers.accept)) {
    const problem = problemOf(rejection, request.id, deps.publicUrl())
    void reply.header('content-type', PROBLEM_TYPE).send(Buffer.from(JSON.stringify(problem)))
  } else {
    void reply.send(Buffer.from(errorBody(rejection)))
  }
}

/** The headers of every error response, also of those for which no hook runs. */
export const errorHeaders = ({ code }: GatewayError, requestId: string): Record<string, string> => ({
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  vary: 'Accept',
  'x-request-id': requestId,
  'x-error-code': code,
})

/** The specification's body: one field and nothing else. */
export const errorBody = ({ message }: GatewayError): string => JSON.stringify({ error: message })

const problemOf = ({ kind, code, param, detail }: GatewayError, requestId: string, publicUrl: string) => ({
  type: `${publicUrl}${ERRORS_PAGE}#${code}`,
  title: ERROR_DOCS[code].title,
  status: STATUS[kind],
  detail,
  code,
  ...(param === undefined ? {} : { param }),
  request_id: requestId,
})

function toGatewayError(error: unknown, method: string): GatewayError {
  if (error instanceof GatewayError) return error
  if (error instanceof StoreUnavailable) {
    const isRead = method === 'GET' || method === 'HEAD'
    const stored = 'the request could not be stored; retry with the same Idempotency-Key'
    return new GatewayError('not_stored', isRead ? 'the database does not answer; try again' : stored)
  }
  const { code, name, statusCode } = error as { code?: string; name?: string; statusCode?: number }
  const known = code === undefined ? undefined : getOwn(FRAMEWORK_ERRORS, code)
  if (known !== undefined) return new GatewayError(...known)
  if (name === 'SyntaxError') return new GatewayError('body_invalid', 'body is not valid JSON')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return malformed()
  return new GatewayError('internal_error', 'internal server error')
}

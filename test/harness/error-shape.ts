import type { IncomingHttpHeaders } from 'node:http'
import { ERROR_CODES, type ErrorCode } from '../../src/domain/error-codes.ts'
import { STATUS } from '../../src/http/error-response.ts'

/** The differences between an error and the common shape: one field, and two headers. */
export function errorFlaws(body: unknown, status: number, headers: IncomingHttpHeaders): string[] {
  const { error, ...more } = (body ?? {}) as Record<string, unknown>
  const code = headers['x-error-code']
  const known = ERROR_CODES[code as ErrorCode]
  const checks: Array<[boolean, string]> = [
    [typeof error === 'string' && error !== '', 'error is no text'],
    [Object.keys(more).length === 0, `there is also ${Object.keys(more).join()}`],
    [known !== undefined, `X-Error-Code ${String(code)} is not in the list`],
    [STATUS[known] === status, `X-Error-Code ${String(code)} does not go with ${status}`],
    [/^[\x21-\x7e]{1,128}$/.test(String(headers['x-request-id'] ?? '')), 'X-Request-Id is none'],
    [headers['content-type'] === 'application/json; charset=utf-8', `Content-Type is ${headers['content-type']}`],
    [headers.vary === 'Accept', `Vary is ${headers.vary}`],
  ]
  return checks.filter(([isRight]) => !isRight).map(([, flaw]) => flaw)
}

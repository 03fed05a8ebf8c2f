import { ERROR_CODES, type ErrorCode } from '../../src/domain/error-codes.ts'
import { STATUS } from '../../src/http/error-response.ts'

/** In what the body of a refusal differs from the one shape that all have. */
export function errorFlaws(body: unknown, status: number): string[] {
  const { error, code, param, doc_url, request_id, ...more } = (body ?? {}) as Record<string, unknown>
  const known = ERROR_CODES[code as ErrorCode]
  const checks: Array<[boolean, string]> = [
    [typeof error === 'string' && error !== '', 'error is no text'],
    [known !== undefined, `code ${String(code)} is not in the list`],
    [STATUS[known] === status, `code ${String(code)} does not go with ${status}`],
    [param === undefined || (typeof param === 'string' && param !== ''), 'param is no name'],
    [typeof doc_url === 'string' && doc_url.endsWith(`/docs/errors#${String(code)}`), 'doc_url leads elsewhere'],
    [typeof request_id === 'string' && /^[\x21-\x7e]{1,128}$/.test(request_id), 'request_id is none'],
    [Object.keys(more).length === 0, `there is also ${Object.keys(more).join()}`],
  ]
  return checks.filter(([isRight]) => !isRight).map(([, flaw]) => flaw)
}

import { CURES } from './descriptions/cures.ts'

/** An error response of the gateway. */
export interface ErrorDescription {
  status: number
  message: string
  code?: string
  param?: string
  /** What to do, where to read more, and the request id to quote to the operator. */
  description: string
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/**
 * Describes an error response for the person who runs the workflow. It is a problem as the gateway sends it, or the plain
 * body of a proxy or another version.
 */
export function describeError(status: number, body: unknown, headers: Record<string, unknown> = {}): ErrorDescription {
  const { detail, error, code, param, type, request_id } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as Record<string, unknown>
  const known = textOf(code) ?? textOf(headers['x-error-code'])
  const message = textOf(detail) ?? textOf(error) ?? known
  if (message === undefined) return strange(status)
  if (known === undefined) return { ...strange(status), message }
  const cure = Object.hasOwn(CURES, known) ? CURES[known] : undefined
  const request = textOf(request_id) ?? textOf(headers['x-request-id'])
  const details = [
    `Code: ${known}`,
    textOf(param) && `field: ${param as string}`,
    textOf(type)?.startsWith('http') && `more: ${type as string}`,
    request && `request: ${request}`,
  ].filter(Boolean)
  return {
    status,
    message,
    code: known,
    param: textOf(param),
    description: [cure, `${details.join(', ')}.`].filter(Boolean).join(' '),
  }
}

const strange = (status: number): ErrorDescription => ({
  status,
  message: `The answer (${status}) is not one of a Postern gateway`,
  description:
    'Check the base URL in the credentials: it is the address of the gateway without a path, such as https://gateway.example.com.',
})

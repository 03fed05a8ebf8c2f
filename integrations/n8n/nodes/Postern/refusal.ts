import { CURES } from './descriptions/cures.ts'

/** What the gateway says when it does not do what it is asked. */
export interface Refusal {
  status: number
  message: string
  code?: string
  param?: string
  /** What to do about it, where to read more, and what to name to whoever runs the gateway. */
  description: string
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/**
 * An answer that is no success, in words for the person who runs the workflow: a problem as the gateway answers it, or
 * the plain body that a proxy or another version may answer.
 */
export function refusalOf(status: number, body: unknown, headers: Record<string, unknown> = {}): Refusal {
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

const strange = (status: number): Refusal => ({
  status,
  message: `The answer (${status}) is not one of a Postern gateway`,
  description:
    'Check the base URL in the credentials: it is the address of the gateway without a path, such as https://gateway.example.com.',
})

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

/** An answer that is no success, in words for whoever runs the workflow. */
export function refusalOf(status: number, body: unknown): Refusal {
  const { error, code, param, doc_url, request_id } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >
  const known = textOf(code)
  if (known === undefined) return strange(status)
  const cure = Object.hasOwn(CURES, known) ? CURES[known] : undefined
  const details = [
    `Code: ${known}`,
    textOf(param) && `field: ${param as string}`,
    textOf(doc_url) && `more: ${doc_url as string}`,
    textOf(request_id) && `request: ${request_id as string}`,
  ].filter(Boolean)
  return {
    status,
    message: textOf(error) ?? known,
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

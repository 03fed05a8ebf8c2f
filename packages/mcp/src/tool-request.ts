import { IDEMPOTENCY_ARGUMENT } from './describe-tools.ts'
import type { ToolName } from './tool-names.ts'

export interface ToolRequest {
  method: string
  path: string
  body?: Record<string, unknown>
  headers: Record<string, string>
}

/** The API request of a tool with these arguments. The gateway validates them. */
export function toolRequest({ method, path, id }: ToolName, given: Record<string, unknown>): ToolRequest {
  const rest = new Map(Object.entries(given))
  const headers = headersOf(rest)
  const filled = path.replace('{id}', () => encodeURIComponent(idOf(id ?? 'id', rest)))
  const hasQuery = method === 'get' || method === 'delete'
  if (!hasQuery) return { method: method.toUpperCase(), path: filled, body: Object.fromEntries(rest), headers }
  const query = new URLSearchParams(
    [...rest].map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return { method: method.toUpperCase(), path: query === '' ? filled : `${filled}?${query}`, headers }
}

const SESSION_ID = /^\d{5,20}(?::\d{1,5})?@s\.whatsapp\.net$/

function headersOf(given: Map<string, unknown>): Record<string, string> {
  const key = given.get(IDEMPOTENCY_ARGUMENT)
  given.delete(IDEMPOTENCY_ARGUMENT)
  if (key === undefined) return {}
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return { 'idempotency-key': key }
  throw new TypeError(`${IDEMPOTENCY_ARGUMENT} must be 1 to 255 visible ASCII characters`)
}

/** An empty id would request the list instead, and an id such as `..` or `events` another route. */
function idOf(name: string, given: Map<string, unknown>): string {
  const value = given.get(name)
  given.delete(name)
  if (typeof value !== 'string' || value === '')
    throw new TypeError(`${name} is missing: it must be a string that is not empty`)
  if (name !== 'session_id') {
    if (/^[a-z]{2,4}_[0-9a-z]+$/.test(value)) return value
    throw new TypeError(`${name} must be an id as the gateway answers it: letters, _, then letters and digits`)
  }
  if (SESSION_ID.test(value)) return value
  throw new TypeError(`${name} must be a session JID such as 15551234567:1@s.whatsapp.net`)
}

import { IDEMPOTENCY_ARGUMENT } from './describe-tools.ts'
import type { ToolName } from './tool-names.ts'

export interface ToolRequest {
  method: string
  path: string
  body?: Record<string, unknown>
  headers: Record<string, string>
}

/** What is asked of the gateway for a tool with these arguments. What does not fit is left to its own words. */
export function toolRequest({ method, path, id }: ToolName, given: Record<string, unknown>): ToolRequest {
  const rest = new Map(Object.entries(given))
  const key = rest.get(IDEMPOTENCY_ARGUMENT)
  rest.delete(IDEMPOTENCY_ARGUMENT)
  const filled = path.replace('{id}', () => encodeURIComponent(idOf(id ?? 'id', rest)))
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': String(key) }
  const isAsked = method === 'get' || method === 'delete'
  if (!isAsked) return { method: method.toUpperCase(), path: filled, body: Object.fromEntries(rest), headers }
  const query = new URLSearchParams(
    [...rest].map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return { method: method.toUpperCase(), path: query === '' ? filled : `${filled}?${query}`, headers }
}

/** An empty one would ask for the list instead. */
function idOf(name: string, given: Map<string, unknown>): string {
  const value = given.get(name)
  given.delete(name)
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`${name} is missing: it must be a string that is not empty`)
}

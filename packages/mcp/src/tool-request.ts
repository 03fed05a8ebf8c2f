import { FILE_ARGUMENT, IDEMPOTENCY_ARGUMENT, MAX_FILE_CHARACTERS, TYPE_ARGUMENT } from './describe-tools.ts'
import type { ToolName } from './tool-names.ts'

export interface ToolRequest {
  method: string
  path: string
  body?: Record<string, unknown> | Uint8Array<ArrayBuffer>
  headers: Record<string, string>
}

/** The API request of a tool with these arguments. The gateway validates them. */
export function toolRequest(
  { method, path, id, jid, takesFile }: ToolName,
  given: Record<string, unknown>,
): ToolRequest {
  const rest = new Map(Object.entries(given))
  const headers = headersOf(rest)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(name === 'id' ? idOf(id ?? name, rest) : jidOf(jid ?? name, rest)),
  )
  if (takesFile) headers['content-type'] = typeOf(rest)
  const file = takesFile ? fileOf(rest) : undefined
  const hasQuery = method === 'get' || method === 'delete' || takesFile
  if (!hasQuery) return { method: method.toUpperCase(), path: filled, body: Object.fromEntries(rest), headers }
  const query = new URLSearchParams(
    [...rest].map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  const asked = { method: method.toUpperCase(), path: query === '' ? filled : `${filled}?${query}`, headers }
  return file === undefined ? asked : { ...asked, body: file }
}

const SESSION_ID = /^\d{5,20}(?::\d{1,5})?@s\.whatsapp\.net$/

function headersOf(given: Map<string, unknown>): Record<string, string> {
  const key = given.get(IDEMPOTENCY_ARGUMENT)
  given.delete(IDEMPOTENCY_ARGUMENT)
  if (key === undefined) return {}
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return { 'idempotency-key': key }
  throw new TypeError(`${IDEMPOTENCY_ARGUMENT} must be 1 to 255 visible ASCII characters`)
}

function typeOf(given: Map<string, unknown>): string {
  const type = given.get(TYPE_ARGUMENT)
  given.delete(TYPE_ARGUMENT)
  if (typeof type === 'string' && /^[\w.+-]{1,50}\/[\w.+-]{1,50}$/.test(type)) return type
  throw new TypeError(`${TYPE_ARGUMENT} must be the type of the file, such as application/pdf`)
}

function fileOf(given: Map<string, unknown>): Uint8Array<ArrayBuffer> {
  const data = given.get(FILE_ARGUMENT)
  given.delete(FILE_ARGUMENT)
  if (typeof data !== 'string' || data.length > MAX_FILE_CHARACTERS || !/^[\w+/-]+={0,2}$/.test(data))
    throw new TypeError(`${FILE_ARGUMENT} must be base64 of at most ${MAX_FILE_CHARACTERS} characters`)
  return new Uint8Array(Buffer.from(data, 'base64'))
}

const JID = /^(?:\+?\d[\d ()-]{3,30}|[\d-]{5,45}(?::\d{1,5})?@(?:s\.whatsapp\.net|lid|g\.us|newsletter))$/

function jidOf(name: string, given: Map<string, unknown>): string {
  const value = given.get(name)
  given.delete(name)
  if (typeof value === 'string' && JID.test(value)) return value
  throw new TypeError(`${name} must be a JID such as 120363000000000001@g.us, or a phone number`)
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

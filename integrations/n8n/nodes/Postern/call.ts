/** Which part of a request a value of the editor goes into. */
export interface Placed {
  name: string
  /** Its name in the request, if that differs. */
  at?: string
  in: 'path' | 'query' | 'body'
  /** Written as JSON in the editor. */
  isJson?: boolean
  /** Sent even if empty when this other field is set. */
  emptyWith?: string
}

/** One operation of the API. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  token: 'key' | 'operator'
  /** `one` object, a `list` in `data`, `pages` of such, or a `stream` of events. */
  answer: 'one' | 'list' | 'pages' | 'stream'
  inSight: Placed[]
  added: Placed[]
  hasIdempotencyKey?: boolean
}

export type Values = Record<string, unknown>

export interface ApiRequest {
  method: Call['method']
  path: string
  query: Record<string, string>
  body?: Values
  headers: Record<string, string>
}

/** A value that cannot be sent; the message is for the person who entered it. */
export class FieldError extends Error {}

/** Builds the request of a call from the fields of the editor: `inSight` by name, and the optional ones. */
export function requestOf(call: Call, inSight: Values, added: Values): ApiRequest {
  const given = [
    ...call.inSight
      .filter(field => isGiven(field, inSight, added))
      .map(field => ({ field, value: inSight[field.name] })),
    ...call.added.filter(({ name }) => added[name] !== undefined).map(field => ({ field, value: added[field.name] })),
  ].map(({ field, value }) => ({
    in: field.in,
    name: field.name,
    at: field.at ?? field.name,
    value: valueOf(field, value),
  }))

  const request: ApiRequest = { method: call.method, path: call.path, query: {}, headers: {} }
  const body: Values = {}
  for (const { in: where, name, at, value } of given) {
    if (where === 'path') request.path = request.path.replace(`{${at}}`, pathPart(name, value))
    if (where === 'query' && value !== '') request.query[at] = String(value)
    if (where === 'body') body[at] = value
  }
  const takesBody = [...call.inSight, ...call.added].some(field => field.in === 'body')
  if (takesBody) request.body = body
  return request
}

function isGiven(field: Placed, inSight: Values, added: Values): boolean {
  if (field.emptyWith === undefined) return true
  return inSight[field.name] !== '' || added[field.emptyWith] !== undefined
}

function valueOf({ name, isJson }: Placed, value: unknown): unknown {
  if (isJson !== true || typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    throw new FieldError(`${name} is not JSON: write it as JSON, or give an object by an expression`)
  }
}

/** One segment of a path, encoded so that no value can lead to another route. */
function pathPart(name: string, value: unknown): string {
  const text = String(value ?? '').trim()
  if (text === '' || text === '.' || text === '..')
    throw new FieldError(`${name} is missing: give the ID that the call is about`)
  return encodeURIComponent(text)
}

/** The events of a stream that have arrived so far. */
export function eventsOf(text: string): Values[] {
  return text
    .split(/\r?\n\r?\n/)
    .slice(0, -1)
    .map(block => {
      const lines = block.split(/\r?\n/).filter(line => line !== '' && !line.startsWith(':'))
      const fields = lines.map(
        line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()] as const,
      )
      const of = (name: string): string[] => fields.filter(([field]) => field === name).map(([, value]) => value)
      return { event: of('event')[0] ?? 'message', id: of('id')[0], data: parsed(of('data').join('\n')) }
    })
    .filter(({ data }) => data !== '')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A request of an account in its API log: never with a body, a query or a header. */
export interface LoggedRequest {
  /** When the response was sent. */
  atMs: number
  method: string
  /** The path as the API documents it: `/v1/messages/:id`. */
  route: string
  path: string
  status: number
  /** The id of the key, or `COMMAND_LINE`. */
  keyId: string
  latencyMs: number
  requestId: string
  code: string | null
  error: string | null
}

/** Stands for the key in requests of a command on the gateway's own machine, which needs none. */
export const COMMAND_LINE = 'command_line'

/** Successful reads: programs poll, so these are most of a log and of little interest. */
export const isPlainRead = (method: string, status: number): boolean => method === 'GET' && status < 400

/** The same as a tuple: field names would be most of what is stored. */
export type PackedRequest = [
  atMs: number,
  method: string,
  route: string,
  path: string,
  status: number,
  keyId: string,
  latencyMs: number,
  requestId: string,
  code: string | null,
  error: string | null,
]

export function unpack(packed: PackedRequest): LoggedRequest {
  const [atMs, method, route, path, status, keyId, latencyMs, requestId, code, error] = packed
  return { atMs, method, route, path, status, keyId, latencyMs, requestId, code, error }
}

export const STATUS_CLASSES = ['2xx', '4xx', '5xx'] as const
export type StatusClass = (typeof STATUS_CLASSES)[number]

/** The filters of the log. */
export interface ApiLogFilter {
  keyId?: string
  statusClass?: StatusClass
  method?: string
  /** Leaves successful reads out. */
  withoutReads?: boolean
  /** Part of the path. */
  path?: string
  requestId?: string
  /** Part of the request id, of the error or of its code, or the status. */
  search?: string
  sinceMs?: number
  untilMs?: number
}

export function fits(filter: ApiLogFilter, request: LoggedRequest): boolean {
  return (
    (filter.withoutReads !== true || !isPlainRead(request.method, request.status)) &&
    (filter.keyId === undefined || filter.keyId === request.keyId) &&
    (filter.statusClass === undefined || filter.statusClass[0] === String(request.status)[0]) &&
    (filter.method === undefined || filter.method === request.method) &&
    (filter.path === undefined || request.path.includes(filter.path) || request.route.includes(filter.path)) &&
    (filter.requestId === undefined || filter.requestId === request.requestId) &&
    (filter.search === undefined || mentions(request, filter.search.toLowerCase())) &&
    (filter.sinceMs === undefined || request.atMs >= filter.sinceMs) &&
    (filter.untilMs === undefined || request.atMs <= filter.untilMs)
  )
}

const mentions = ({ requestId, code, error, status }: LoggedRequest, words: string): boolean =>
  String(status) === words || [requestId, code, error].some(text => text?.toLowerCase().includes(words))

/** A request of an account as its API log has it: never a body, a query or a header. */
export interface LoggedRequest {
  /** When it was answered. */
  atMs: number
  method: string
  /** The path as the interface names it: `/v1/messages/:id`. */
  route: string
  path: string
  status: number
  /** The key that asked, or `COMMAND_LINE`. */
  keyId: string
  latencyMs: number
  requestId: string
  code: string | null
  error: string | null
}

/** Stands for the key where a command on the gateway's own machine asked without one. */
export const COMMAND_LINE = 'command_line'

/** Programs poll: what only read, and could, is most of a log and says little. */
export const isPlainRead = (method: string, status: number): boolean => method === 'GET' && status < 400

/** The same without the names of its fields, which would be most of what is stored. */
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

/** What the log can be narrowed by. */
export interface ApiLogFilter {
  keyId?: string
  statusClass?: StatusClass
  method?: string
  /** Leaves out what only read. */
  withoutReads?: boolean
  /** A part of the path. */
  path?: string
  requestId?: string
  /** A part of the request id, of the error or of its code, or the status. */
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

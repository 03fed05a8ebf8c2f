import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Context } from '../context.ts'
import { lineWriter } from '../observability/log.ts'
import { TRACE_ID } from './response-defaults.ts'
import type { Identity } from './identity.ts'

/** What all responses of one route with one status have in common. */
interface Kind {
  count(): void
  observe(seconds: number): void
  /** A file of the portal: the log has no line for it. */
  isFile: boolean
  /** The beginning of the log line, up to the duration. */
  fields: string
}

/** Counts each response and logs it. What many responses share is cached, because computing it would cost more than both. */
export class ResponseLog {
  readonly #metrics: Context['metrics']
  readonly #write: (fields: string) => void
  readonly #kinds = new Map<string, Kind>()
  /** Files are logged at the level `debug` only. */
  readonly #isQuiet: boolean

  constructor({ log, metrics }: Pick<Context, 'log' | 'metrics'>) {
    this.#metrics = metrics
    this.#write = lineWriter(log)
    this.#isQuiet = !(log as Logger).isLevelEnabled('debug')
  }

  add(request: FastifyRequest, reply: FastifyReply): void {
    const ms = Math.round(reply.elapsedTime * 10) / 10
    const kind = this.#kindOf(request.method, routeOf(request), reply.statusCode)
    kind.count()
    kind.observe(ms / 1000)
    if (kind.isFile && reply.statusCode < 400) return
    const isTraced = request.span !== null || request.headers.traceparent !== undefined
    const trace = isTraced ? traceOf(reply) : ''
    this.#write(`${kind.fields}${ms}${callerFields(request.identity)}${trace},"msg":"request.answered"`)
  }

  #kindOf(method: string, route: string, status: number): Kind {
    const name = `${status} ${method} ${route}`
    let kind = this.#kinds.get(name)
    if (kind === undefined) this.#kinds.set(name, (kind = this.#makeKind(method, route, status)))
    return kind
  }

  #makeKind(method: string, route: string, status: number): Kind {
    const { requests, requestSeconds } = this.#metrics
    const [total, seconds] = [requests.labels({ route, status: String(status) }), requestSeconds.labels({ route })]
    const fields = JSON.stringify({ method, route, status }).slice(1, -1)
    const isFile = this.#isQuiet && (route === FILES || ALONE.has(route))
    return { count: () => total.inc(), observe: value => seconds.observe(value), isFile, fields: `${fields},"ms":` }
  }
}

const FILES = '/assets/*'
const ALONE: ReadonlySet<string> = new Set(['/favicon.svg', '/theme.js'])

/** File names change with each build, so all files count as one route. */
export function routeOf(request: FastifyRequest): string {
  const { url } = request.routeOptions
  return /^\/(docs\/)?assets\//.test(url ?? '') ? FILES : (url ?? 'unknown')
}

/** Hexadecimal, or nothing. */
function traceOf(reply: FastifyReply): string {
  const id = reply.getHeader(TRACE_ID)
  return id === undefined ? '' : `,"trace_id":"${String(id)}"`
}

/** Our own ids need no escaping. */
function callerFields(identity: Identity | null): string {
  if (identity === null) return ''
  const { account, key } = identity
  return `,"account":"${account.id}"${key === null ? '' : `,"by":"${key.id}"`}`
}

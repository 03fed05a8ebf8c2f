import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Context } from '../context.ts'
import { type Log, withoutRedaction } from '../observability/log.ts'
import { TRACE_ID } from './response-defaults.ts'

/** The parts that all responses of one route with one status share. */
interface Kind {
  count(): void
  observe(seconds: number): void
  /** A file of the portal: the log has no line for it. */
  isFile: boolean
  /** Has the fields that all their lines share, serialized once. */
  log: Log
}

/** Counts each response and logs it. Caches the parts that responses of one route and status share. */
export class ResponseLog {
  readonly #metrics: Context['metrics']
  /** Every field of these lines is known to be harmless. */
  readonly #log: Log
  readonly #kinds = new Map<string, Kind>()
  /** Files are logged at the level `debug` only. */
  readonly #isQuiet: boolean

  constructor({ log, metrics }: Pick<Context, 'log' | 'metrics'>) {
    this.#metrics = metrics
    this.#log = withoutRedaction(log)
    this.#isQuiet = !(log as Logger).isLevelEnabled('debug')
  }

  add(request: FastifyRequest, reply: FastifyReply): void {
    const ms = Math.round(reply.elapsedTime * 10) / 10
    const kind = this.#kindOf(request.method, routeOf(request), reply.statusCode)
    kind.count()
    kind.observe(ms / 1000)
    if (kind.isFile && reply.statusCode < 400) return
    const isTraced = request.span !== null || request.headers.traceparent !== undefined
    const { identity } = request
    const fields = {
      ms,
      account: identity?.account.id,
      by: identity?.key?.id,
      trace_id: isTraced ? reply.getHeader(TRACE_ID) : undefined,
    }
    kind.log.info(fields, 'request.answered')
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
    const isFile = this.#isQuiet && (route === FILES || ALONE.has(route))
    const log = this.#log.child({ method, route, status })
    return { count: () => total.inc(), observe: value => seconds.observe(value), isFile, log }
  }
}

const FILES = '/assets/*'
const ALONE: ReadonlySet<string> = new Set(['/favicon.svg', '/theme.js'])

/** File names change with each build, so all files count as one route. */
export function routeOf(request: FastifyRequest): string {
  const { url } = request.routeOptions
  return /^\/(docs\/)?assets\//.test(url ?? '') ? FILES : (url ?? 'unknown')
}

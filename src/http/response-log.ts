import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Context } from '../context.ts'
import { type Log, withoutRedaction } from '../observability/log.ts'
import type { Identity } from './identity.ts'
import { TRACE_ID } from './response-defaults.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Why it was rejected; set with the error response. */
    rejection: { code: string; detail: string } | null
  }
}

/** A request with its response, for the logs. */
export interface Answered {
  method: string
  /** The path of its route; `undefined` if there is none. */
  route: string | undefined
  url: string
  status: number
  ms: number
  identity: Identity | null
  requestId: string
  /** Why it was rejected. */
  rejection: { code: string; detail: string } | null
  /** The trace id of the response, if it is part of a trace. */
  traceId: unknown
}

export function answeredOf(request: FastifyRequest, reply: FastifyReply): Answered {
  const isTraced = request.span !== null || request.headers.traceparent !== undefined
  return {
    method: request.method,
    route: request.routeOptions.url,
    url: request.url,
    status: reply.statusCode,
    ms: reply.elapsedTime,
    identity: request.identity,
    requestId: request.id,
    rejection: request.rejection,
    traceId: isTraced ? reply.getHeader(TRACE_ID) : undefined,
  }
}

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

  add({ method, route, status, ms: exactMs, identity, traceId }: Answered): void {
    const ms = Math.round(exactMs * 10) / 10
    const kind = this.#kindOf(method, nameOf(route), status)
    kind.count()
    kind.observe(ms / 1000)
    if (kind.isFile && status < 400) return
    const fields = {
      ms,
      account: identity?.account.id,
      by: identity?.key?.id,
      trace_id: traceId,
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
const nameOf = (route: string | undefined): string =>
  /^\/(docs\/)?assets\//.test(route ?? '') ? FILES : (route ?? 'unknown')

export const routeOf = (request: FastifyRequest): string => nameOf(request.routeOptions.url)

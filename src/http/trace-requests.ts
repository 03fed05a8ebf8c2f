import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { Span } from '../observability/tracing/tracing.ts'
import { routeOf } from './response-log.ts'
import { TRACE_ID } from './response-defaults.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** `null` if tracing is off, and for the routes that are polled. */
    span: Span | null
  }
}

/** Machines poll these every few seconds, or browsers load them with each page: their traces would hide the others. */
const UNTRACED = /^\/(healthz|readyz|metrics|assets\/|docs\/|favicon\.svg|theme\.js)/

/** A span for each request, as a child of the span that the request names, if any. */
export function traceRequests(app: FastifyInstance, { tracing }: Pick<Context, 'tracing'>): void {
  app.decorateRequest('span', null)
  if (tracing === null) return
  app.addHook('onRequest', (request, reply, done) => {
    if (!UNTRACED.test(routeOf(request))) {
      request.span = tracing.begin({ name: nameOf(request), kind: 'server', parent: parentOf(request) })
      void reply.header(TRACE_ID, request.span.traceId)
    }
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status } = reply
    request.span?.end(
      {
        'http.request.method': request.method,
        'http.route': routeOf(request),
        'http.response.status_code': status,
        'postern.account': request.identity?.account.id,
      },
      status >= 500 ? String(status) : undefined,
    )
    done()
  })
}

const nameOf = (request: FastifyRequest): string => `${request.method} ${routeOf(request)}`

function parentOf({ headers: { traceparent } }: FastifyRequest): string | undefined {
  return typeof traceparent === 'string' ? traceparent : undefined
}

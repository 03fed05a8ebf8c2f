import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { GatewayError, malformed } from '../domain/errors.ts'
import { traceIdOf } from '../domain/trace-context.ts'

/** The trace id of the request, if it names one. */
export const TRACE_ID = 'x-trace-id'

/**
 * The defaults of every response: responses default to no-store and nosniff. Requests that Node would reject without a
 * body are rejected here with one.
 */
export function setResponseDefaults(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply
      .header('x-request-id', request.id)
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff')
    const { traceparent } = request.headers
    if (traceparent !== undefined) setTraceId(reply, traceIdOf(traceparent))
    done(rejectionOf(request.raw))
  })
  const serve = (request: IncomingMessage, response: ServerResponse): unknown =>
    app.server.emit('request', request, response)
  app.server.on('checkContinue', serve)
  app.server.on('checkExpectation', serve)
}

function setTraceId(reply: FastifyReply, id: string | undefined): void {
  if (id !== undefined) void reply.header(TRACE_ID, id)
}

function rejectionOf({ headers, httpVersion }: IncomingMessage): GatewayError | undefined {
  if (headers.host === undefined && httpVersion === '1.1') return malformed()
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    return new GatewayError('expectation_failed', 'Expect must be 100-continue, or left out', { param: 'Expect' })
  }
  return undefined
}

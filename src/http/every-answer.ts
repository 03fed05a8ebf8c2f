import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { GatewayError, malformed } from '../domain/errors.ts'

/**
 * What holds of every answer. Answers are nobody's to keep or to guess the type of, unless they say so themselves. What
 * Node would refuse without a word is refused here, with one.
 */
export function prepareAnswers(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply
      .header('x-request-id', request.id)
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff')
    done(refusalOf(request.raw))
  })
  const goOn = (request: IncomingMessage, response: ServerResponse): unknown =>
    app.server.emit('request', request, response)
  app.server.on('checkContinue', goOn)
  app.server.on('checkExpectation', goOn)
}

function refusalOf({ headers, httpVersion }: IncomingMessage): GatewayError | undefined {
  if (headers.host === undefined && httpVersion === '1.1') return malformed()
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    return new GatewayError('expectation_failed', 'Expect must be 100-continue, or left out', { param: 'Expect' })
  }
  return undefined
}

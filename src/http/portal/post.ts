import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject } from 'typebox'
import { compileValidator } from '../validate.ts'

/** A write of the portal alone, which no API key can ask for. */
export function post<Body extends TObject>(
  app: FastifyInstance,
  path: string,
  body: Body,
  handler: (body: Static<Body>, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  const check = compileValidator(body, 'body')
  app.post(path, async (request, reply) => {
    const given = request.body ?? {}
    check(given)
    return await handler(given as Static<Body>, request, reply)
  })
}

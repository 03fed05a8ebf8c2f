import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject } from 'typebox'
import { compileValidator } from '../validate.ts'

/** A few short fields: nobody needs more to sign in or to change a password. */
const BODY_LIMIT_BYTES = 16_384
const SHAPE = { values: 50, depth: 4 }

/** Who may ask, and how often; decided before the body is read. */
export type Doorkeeper = (request: FastifyRequest) => void | Promise<void>

/** A write of the portal alone, which no API key can ask for. */
export function post<Body extends TObject>(
  app: FastifyInstance,
  path: string,
  { body, before }: { body: Body; before: Doorkeeper },
  handler: (body: Static<Body>, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  const check = compileValidator(body, 'body')
  const onRequest = async (request: FastifyRequest) => before(request)
  const options = { bodyLimit: BODY_LIMIT_BYTES, config: { bodyShape: SHAPE }, onRequest }
  app.post(path, options, async (request, reply) => {
    const given = request.body ?? {}
    check(given)
    return await handler(given as Static<Body>, request, reply)
  })
}

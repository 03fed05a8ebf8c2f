import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TObject, Type } from 'typebox'
import { compileValidator } from '../validate.ts'

export const Email = Type.String({ pattern: '^[^\\s@]{1,64}@[^\\s@]{1,190}$', maxLength: 255 })
export const GivenPassword = Type.String({ minLength: 1, maxLength: 200 })
export const NewPassword = Type.String({ minLength: 10, maxLength: 200 })

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

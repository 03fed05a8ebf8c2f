import { fastify } from 'fastify'
import { Compile } from 'typebox/compile'
import { SendBodySchema } from '../../dist/http/v1/send-schema.js'

/** The baseline: a Fastify that validates the same body with TypeBox, answers 202, and stores nothing. */
const app = fastify({ logger: false })
app.setValidatorCompiler(({ schema }) => {
  const compiled = Compile(schema)
  return value => compiled.Check(value) || { error: new Error('invalid') }
})
let serial = 0
app.post('/v1/messages', { schema: { body: SendBodySchema } }, async (request, reply) => {
  const { session_id, to } = request.body
  const id = `msg_${serial++}`
  return reply
    .status(202)
    .send({ message_id: id, request_id: request.headers['idempotency-key'], session_id, to, status: 'queued' })
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.send({ port: app.server.address().port })

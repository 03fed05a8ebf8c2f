import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { fastify } from 'fastify'
import { Compile } from 'typebox/compile'
import { SendBodySchema } from '../../dist/http/v1/send-schema.js'
import { Seal } from '../../dist/store/seal.js'
import { openTables } from './tables.mjs'

/**
 * The least that accepts a message durably: the same validation, a look-up of the key, the content sealed, one row in a
 * group commit with fsync, 202.
 */
const seal = new Seal([randomBytes(32)])
const key = `ptn_${randomBytes(30).toString('base64url')}`
const hashOf = text => createHash('sha256').update(text).digest('base64')
const accounts = new Map([[hashOf(key), 'acc_1']])
const table = await openTables(
  { databaseUrl: process.env.POSTERN_DATABASE_URL, path: join(process.env.POSTERN_DATA_DIR, 'floor.db') },
  {
    messages: [
      ['id', 'text'],
      ['account_id', 'text'],
      ['session_id', 'text'],
      ['request_key', 'text'],
      ['recipient', 'text'],
      ['content', 'blob'],
    ],
  },
)
let serial = 0
const run = Date.now().toString(36)

const app = fastify({ logger: false })
app.setValidatorCompiler(({ schema }) => {
  const compiled = Compile(schema)
  return value => compiled.Check(value) || { error: new Error('invalid') }
})
app.post('/v1/messages', { schema: { body: SendBodySchema } }, async (request, reply) => {
  const account = accounts.get(hashOf(request.headers.authorization.slice('Bearer '.length)))
  if (account === undefined) return reply.status(401).send({ error: 'missing or invalid API key' })
  const { session_id, to, text } = request.body
  const id = `msg_${run}${String(serial++).padStart(9, '0')}`
  const requestKey = request.headers['idempotency-key']
  const content = seal.seal(JSON.stringify({ text }), id)
  await table.insert({ messages: [id, account, session_id, requestKey, to, content] })
  return reply.status(202).send({ message_id: id, request_id: requestKey, session_id, to, status: 'queued' })
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.send({ port: app.server.address().port, key })
process.on('message', message => {
  if (message === 'cpu') process.send(process.cpuUsage())
  else void app.close().then(() => process.exit(0))
})

import { type AddressInfo, connect, Socket } from 'node:net'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { type FastifyInstance, fastify } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { BOUNDS } from '../../domain/bounds.ts'
import { makeLog } from '../../observability/log.ts'
import { systemClock } from '../../runtime/clock.ts'
import { Deferred } from '../../runtime/deferred.ts'
import { sendError } from '../error-response.ts'
import { BodyMemory } from '../limits/body-memory.ts'
import { FairScheduler } from '../limits/fair-scheduler.ts'
import { guardConnections } from './guard-connections.ts'
import { readBodies } from './read-body.ts'

const LIMITS = {
  maxConnections: 1_000,
  headersMs: 20_000,
  requestMs: 30_000,
  unreadMs: 30_000,
  slowBodyMs: 5_000,
  checkEveryMs: 5_000,
}
const DEPS = { clock: systemClock, log: makeLog('silent') }
const UNKNOWN_NODE = '99.0.0'

let app: FastifyInstance | undefined
/** Ends when a client has written all parts; `/slow` answers after that. */
let written = new Deferred<void>()
/** What `/admits` waits for before it reads a body. */
let admission: Promise<void> = Promise.resolve()
afterEach(() => app?.close())

async function serve(nodeVersion?: string, clock = systemClock): Promise<FastifyInstance> {
  app = fastify({ clientErrorHandler: () => {}, forceCloseConnections: true })
  app.decorateRequest('identity', null)
  app.setErrorHandler((error, request, reply) =>
    sendError(error, request, reply, { log: DEPS.log, publicUrl: () => 'http://x' }),
  )
  readBodies(app, new FairScheduler(() => 1), new BodyMemory())
  guardConnections(app, { ...DEPS, clock }, LIMITS, nodeVersion)
  app.post('/slow', async request => {
    await written.promise
    return { got: request.body }
  })
  app.post('/admits', { onRequest: () => admission }, async () => ({}))
  app.get('/stream', (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
    reply.raw.write('data: 1\n\n')
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app
}

/** Between two parts: the second is written when the server has begun to answer. */
const ANSWERED = Symbol('answered')

/** Writes the parts with pauses between them, and returns everything that the server wrote until it closed. */
async function exchange(
  { server }: FastifyInstance,
  ...parts: Array<string | Buffer | typeof ANSWERED>
): Promise<string> {
  written = new Deferred()
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk)).on('error', () => {})
  const closed = new Promise(resolve => socket.once('close', resolve))
  for (const part of parts) {
    if (part === ANSWERED) while (chunks.length === 0) await sleep(5)
    else socket.write(part)
    await sleep(20)
  }
  written.resolve()
  await closed
  return Buffer.concat(chunks).toString()
}

const post = (body: string, more = ''): string =>
  `POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const countHeads = (text: string): number => text.match(/HTTP\/1\.1 /g)?.length ?? 0

describe('bytes that are no HTTP', () => {
  it.each([
    ['the same packet', [`${post('{"a":1}')}\0`]],
    ['the next packet', [post('{"a":1}'), '\0', '\0\0']],
  ])('behind a body in %s do not replace the response to its request', async (_, parts) => {
    const text = await exchange(await serve(), ...parts)
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text.toLowerCase()).toContain('connection: close')
    expect(text).toContain('{"got":{"a":1}}')
    expect(countHeads(text)).toBe(1)
  })

  it('never add a second head to a response that has begun', async () => {
    const text = await exchange(await serve(), 'GET /stream HTTP/1.1\r\nHost: x\r\n\r\n', ANSWERED, '\0')
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text).toContain('data: 1')
    expect(countHeads(text)).toBe(1)
  })

  it('inside a body are answered with 400, without headers that would let a cache keep the response', async () => {
    const head =
      'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    const text = await exchange(await serve(), `${head}5\r\n{"a":\r\n`, 'zz\r\n')
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(text).toContain('cache-control: no-store\r\n')
    expect(text).toContain('x-content-type-options: nosniff\r\n')
    expect(countHeads(text)).toBe(1)
  })
})

it('clients that leave before they are admitted occupy no memory for the bodies that they declared', async () => {
  let admit = (): void => {}
  admission = new Promise(resolve => (admit = resolve))
  const server = await serve()
  const { port } = server.server.address() as AddressInfo
  let begun = 0
  server.server.on('request', () => begun++)
  const head = `POST /admits HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1048576\r\n\r\n`
  const clients = Array.from({ length: BOUNDS.bodyBytes / 1_048_576 }, () => connect(port, '127.0.0.1'))
  for (const client of clients) client.on('error', () => {}).write(head)
  await expect.poll(() => begun).toBe(clients.length)
  for (const client of clients) client.destroy()
  const count = () => new Promise(resolve => server.server.getConnections((_error, open) => resolve(open)))
  await expect.poll(count).toBe(0)
  admit()
  expect(await exchange(server, post('{"a":1}', 'Connection: close\r\n'))).toMatch(/^HTTP\/1\.1 200 /)
})

it('CONNECT is answered with 405 before the connection closes', async () => {
  const text = await exchange(await serve(), 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n')
  expect(text).toMatch(/^HTTP\/1\.1 405 /)
  expect(text).toContain('{"error":"CONNECT is not allowed here"}')
})

describe.each([
  ['with hooks in the parser', undefined],
  ['with public events alone, on a version of Node that is not known', UNKNOWN_NODE],
])('%s', (_, nodeVersion) => {
  it('a body in more than 512 tiny chunks is rejected', async () => {
    const head =
      'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
    const chunks = (count: number): string => `1\r\n"\r\n${'1\r\na\r\n'.repeat(count)}1\r\n"\r\n0\r\n\r\n`
    const server = await serve(nodeVersion)
    expect(await exchange(server, head + chunks(400))).toMatch(/^HTTP\/1\.1 200 /)
    expect(await exchange(server, head + chunks(5_000))).toMatch(/^HTTP\/1\.1 400 .*too many small pieces/s)
  })

  it('a connection may have 16 pending requests, and is destroyed at the next one', async () => {
    const server = await serve(nodeVersion)
    expect(countHeads(await exchange(server, post('{}').repeat(15) + post('{}', 'Connection: close\r\n')))).toBe(16)
    expect(await exchange(server, post('{}').repeat(2_000))).toBe('')
  })
})

describe('a body that is not UTF-8', () => {
  it.each(['', '; charset=utf-8', '; charset=iso-8859-1'])(
    'is rejected with content type application/json%s',
    async charset => {
      const body = Buffer.from('{"text":"caf\xe9"}', 'latin1')
      const head = `POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json${charset}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`
      const text = await exchange(await serve(), Buffer.concat([Buffer.from(head), body]))
      expect(text).toMatch(/^HTTP\/1\.1 400 /)
      expect(text).toContain('{"error":"body is not valid UTF-8"}')
    },
  )
})

it('many clients that a stall has delayed wait without a warning', async () => {
  const warnings: Error[] = []
  const record = (warning: Error): void => void warnings.push(warning)
  process.on('warning', record)
  let aheadMs = 0
  const { server } = await serve(undefined, { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs })
  aheadMs = 60_000
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  for (let i = 0; i < 20; i++) server.emit('clientError', late, new Socket())
  await turn()
  process.off('warning', record)
  expect(warnings).toEqual([])
})

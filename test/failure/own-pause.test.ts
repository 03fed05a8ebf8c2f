import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConnectionLimits, createServer, type Server } from '../../src/http/server.ts'
import { startTestGateway, type TestAccount, type TestGateway, type TestSession } from '../harness/gateway.ts'
import { comeAsStranger, type Stranger } from '../harness/stranger.ts'
import { until } from '../harness/until.ts'

/** Limits that a test can wait for; the process is then blocked for longer than any request may take. */
const LIMITS: ConnectionLimits = {
  maxConnections: 100,
  headersMs: 2_000,
  requestMs: 2_000,
  unreadMs: 30_000,
  slowBodyMs: 5_000,
  checkEveryMs: 50,
}
const PAUSE_MS = 6_000

let gateway: TestGateway
let server: Server
let account: TestAccount
let session: TestSession
let come: () => Promise<Stranger>

beforeAll(async () => {
  gateway = await startTestGateway('sqlite')
  account = await gateway.account()
  session = await gateway.session(account)
  const { context } = gateway
  server = createServer({ ...context, config: { ...context.config, port: 0 } }, () => ({}), LIMITS)
  const url = `http://127.0.0.1:${await server.listen()}`
  come = async () => {
    let accepted = false
    server.app.server.once('connection', () => (accepted = true))
    const stranger = comeAsStranger(url)
    await until(() => accepted)
    return stranger
  }
})
afterAll(async () => {
  await server.close()
  await gateway.stop()
})

/** Blocks the process, as if it were stopped; what was written before waits in the kernel. */
const pause = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)

const send = (): string => {
  const body = JSON.stringify({ session_id: session.id, to: '15550001111', text: 'x'.repeat(40_000) })
  const head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  return head + body
}

test('a send that stayed unread while the process was stopped is accepted, however much of it had been read before', async () => {
  const [whole, half] = [await come(), await come()]
  const request = send()
  half.write(request.slice(0, 5_000))
  await until(() => half.socket.bytesWritten === 5_000)
  await until(() => server.app.server.listening)
  whole.write(request)
  half.write(request.slice(5_000))
  pause()
  await Promise.all([whole.receives('"status":"queued"'), half.receives('"status":"queued"')])
  for (const stranger of [whole, half]) stranger.leave()
})

test('a request that does not arrive even then is answered 408', async () => {
  const [paused, unpaused] = [await come(), await come()]
  paused.write('GET /healthz HTTP/1.1\r\nHost: x\r\n')
  pause()
  unpaused.write('GET /healthz HTTP/1.1\r\nHost: x\r\n')
  for (const stranger of [paused, unpaused]) {
    await stranger.receives('HTTP/1.1 408 Request Timeout')
    await stranger.receives('x-error-code: request_timeout')
    await until(stranger.isClosed)
  }
  expect(server.app.server.listening).toBe(true)
})

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../runtime/clock.ts'

/** How much of a rejected request is read and dropped, and for how long, so that its client can read the response. */
const LINGER_BYTES = 1_048_576
const LINGER_MS = 2_000
const CHECK_EVERY_MS = 100

/** Drops what a rejected client still writes, up to the bounds above, and closes the connection then. */
export function closeLingering(app: FastifyInstance, clock: Clock): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    // Closing a connection with unread bytes resets it, and the client might lose the response.
    if (!request.raw.complete) void reply.removeHeader('connection')
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    if (!request.raw.complete) void linger(request.raw, clock)
    done()
  })
}

async function linger(request: IncomingMessage, clock: Clock): Promise<void> {
  const { socket } = request
  // Each chunk costs the same whatever its size, so a chunked body stays unread.
  if (request.headers['transfer-encoding'] !== undefined) socket.pause()
  const upTo = socket.bytesRead + LINGER_BYTES
  const untilMs = clock.monotonicMs() + LINGER_MS
  while (!request.complete && !socket.destroyed) {
    await clock.sleep(CHECK_EVERY_MS)
    const isOver = socket.bytesRead > upTo || clock.monotonicMs() > untilMs
    if (isOver && !request.complete) socket.destroy()
  }
}

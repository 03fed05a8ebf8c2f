import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../runtime/clock.ts'

/** A client that is refused while it still writes gets to read why: so much more is thrown away, so long. */
const LINGER_BYTES = 1_048_576
const LINGER_MS = 2_000
const LOOK_EVERY_MS = 100

/** What a refused client still writes is thrown away for a while; then the connection ends instead of being read on. */
export function closeLingering(app: FastifyInstance, clock: Clock): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    // Closing at once would reset the connection, and the answer might be lost with it.
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
  // Throwing away what comes in chunks costs as much for a byte as for many: it stays unread.
  if (request.headers['transfer-encoding'] !== undefined) socket.pause()
  const upTo = socket.bytesRead + LINGER_BYTES
  const untilMs = clock.monotonicMs() + LINGER_MS
  while (!request.complete && !socket.destroyed) {
    await clock.sleep(LOOK_EVERY_MS)
    const isOver = socket.bytesRead > upTo || clock.monotonicMs() > untilMs
    if (isOver && !request.complete) socket.destroy()
  }
}

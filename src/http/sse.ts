import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BOUNDS } from '../domain/bounds.ts'
import { GatewayError } from '../domain/errors.ts'

const PING_EVERY_MS = 15_000
/** A key that is revoked and a user who signs out hear nothing more within a second. */
const CHECK_EVERY_MS = 500
/** A reader that falls this far behind is let go: it comes again and reads on from what is stored. */
const MAX_BUFFERED_BYTES = 1_048_576
const TRY_AGAIN_MS = 5_000

declare module 'fastify' {
  interface FastifyInstance {
    /** The open streams, each with the account that reads it. */
    streams: Map<EventStream, string>
  }
}

/** An answer that goes on: events for one browser or program until either side ends it. */
export interface EventStream {
  /** `false` where the stream has ended. */
  send(event: string, data: unknown, id?: string): boolean
  end(): void
  /** Aborts when the stream has ended, from either side. */
  signal: AbortSignal
}

/** Keeps the open streams of a server; they end when it closes, so that they never hold up a shutdown. */
export function keepStreams(app: FastifyInstance): void {
  const streams = new Map<EventStream, string>()
  app.decorate('streams', streams)
  app.addHook('preClose', async () => {
    for (const stream of streams.keys()) stream.end()
  })
}

function requireFewStreams(streams: Map<EventStream, string>, accountId: string): void {
  const open = [...streams.values()].filter(id => id === accountId).length
  if (open < BOUNDS.openStreams) return
  const message = `at most ${BOUNDS.openStreams} event streams of an account may be open; close one`
  throw new GatewayError('rate_limited', message, TRY_AGAIN_MS)
}

export function openStream(request: FastifyRequest, reply: FastifyReply): EventStream {
  const { streams } = request.server
  const accountId = request.identity!.account.id
  requireFewStreams(streams, accountId)
  const gone = new AbortController()
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
  } as Record<string, string>)

  const stream: EventStream = {
    signal: gone.signal,
    send(event, data, id) {
      if (gone.signal.aborted) return false
      raw.write(`event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`)
      if (raw.writableLength > MAX_BUFFERED_BYTES) raw.destroy()
      return true
    },
    end() {
      raw.end()
      finish()
    },
  }
  const ping = setInterval(() => stream.send('ping', {}), PING_EVERY_MS)
  const check = setInterval(() => void endUnlessAdmitted(), CHECK_EVERY_MS)
  async function endUnlessAdmitted(): Promise<void> {
    // A database that is away for a while ends nothing.
    const isAdmitted = (await request.stillAdmitted?.().catch(() => true)) ?? true
    if (!isAdmitted) stream.end()
  }
  function finish(): void {
    clearInterval(ping)
    clearInterval(check)
    streams.delete(stream)
    gone.abort()
  }
  streams.set(stream, accountId)
  raw.once('close', finish)
  // Who asks for the head alone would wait for an end that never comes; who has left already closes no second time.
  if (request.method === 'HEAD' || raw.destroyed) stream.end()
  else stream.send('ping', {})
  return stream
}

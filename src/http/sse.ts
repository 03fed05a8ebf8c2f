import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const PING_EVERY_MS = 15_000
/** A reader that falls this far behind is let go: it comes again and reads on from what is stored. */
const MAX_BUFFERED_BYTES = 1_048_576

declare module 'fastify' {
  interface FastifyInstance {
    streams: Set<EventStream>
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
  const streams = new Set<EventStream>()
  app.decorate('streams', streams)
  app.addHook('preClose', async () => {
    for (const stream of streams) stream.end()
  })
}

export function openStream(request: FastifyRequest, reply: FastifyReply): EventStream {
  const { streams } = request.server
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
  function finish(): void {
    clearInterval(ping)
    streams.delete(stream)
    gone.abort()
  }
  streams.add(stream)
  raw.once('close', finish)
  // Who asks for the head alone would wait for an end that never comes.
  if (request.method === 'HEAD') stream.end()
  else stream.send('ping', {})
  return stream
}

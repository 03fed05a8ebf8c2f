import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BOUNDS } from '../../domain/bounds.ts'
import { type GatewayError, tooManyOpen } from '../../domain/errors.ts'
import { makeId } from '../../domain/ids.ts'
import { RepeatingTask } from '../../runtime/repeating-task.ts'
import type { Store } from '../../store/store.ts'
import { retryUntilReachable } from '../../store/retry-until-reachable.ts'
import type { Deps } from '../deps.ts'

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
export class EventStream {
  readonly #raw: ServerResponse
  readonly #gone = new AbortController()

  constructor(raw: ServerResponse) {
    this.#raw = raw
    raw.once('close', () => this.#gone.abort())
  }

  /** Aborts when the stream has ended, from either side. */
  get signal(): AbortSignal {
    return this.#gone.signal
  }

  /** `false` where the stream has ended. */
  send(event: string, data: unknown, id?: string): boolean {
    if (this.signal.aborted) return false
    this.#raw.write(`event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`)
    if (this.#raw.writableLength > MAX_BUFFERED_BYTES) this.#raw.destroy()
    return true
  }

  end(): void {
    this.#raw.end()
    this.#gone.abort()
  }
}

/** Keeps the open streams of a server; they end when it closes, so that they never hold up a shutdown. */
export function keepStreams(app: FastifyInstance): void {
  const streams = new Map<EventStream, string>()
  app.decorate('streams', streams)
  app.addHook('preClose', async () => {
    for (const stream of streams.keys()) stream.end()
  })
}

type StreamDeps = Pick<Deps, 'clock' | 'config' | 'log' | 'nodeId'> & { store: Pick<Store, 'limits'> }

/** Begins an answer that goes on; 429 where as many of the account are open as may be. */
export async function openStream(reply: FastifyReply, deps: StreamDeps): Promise<EventStream> {
  const { request, raw } = reply
  const { streams } = request.server
  const accountId = request.identity!.account.id
  const giveBack = await takePlace(deps, request.server, accountId)
  reply.hijack()
  raw.writeHead(200, {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
  } as Record<string, string>)
  const stream = new EventStream(raw)
  streams.set(stream, accountId)
  const ended = (): void => {
    streams.delete(stream)
    giveBack()
  }
  stream.signal.addEventListener('abort', ended, { once: true })
  // Who asks for the head alone would wait for an end that never comes; who has left already closes no second time.
  if (request.method === 'HEAD' || raw.destroyed) stream.end()
  else keepOpen(stream, request, deps)
  return stream
}

/** Counted by the process where it is the only one, else by the store. Answers what gives the place back. */
async function takePlace(
  { clock, config, log, nodeId, store }: StreamDeps,
  { server, streams }: FastifyInstance,
  accountId: string,
): Promise<() => void> {
  const max = BOUNDS.openStreams
  if (config.databaseUrl === null) {
    const open = [...streams.values()].filter(id => id === accountId).length
    if (open >= max) throw tooManyStreams()
    return () => {}
  }
  const id = makeId('strm')
  if (!(await store.limits.openAccountStream({ id, accountId, nodeId, max }))) throw tooManyStreams()
  return () => {
    // Where the process ends its streams are not counted any more.
    const mayRetry = (): boolean => server.listening
    retryUntilReachable(clock, () => store.limits.closeAccountStream(id), { mayRetry }).catch((error: unknown) => {
      if (mayRetry()) log.warn({ err: error }, 'stream.still_counted')
    })
  }
}

const tooManyStreams = (): GatewayError =>
  tooManyOpen(`at most ${BOUNDS.openStreams} event streams of an account may be open; close one`, TRY_AGAIN_MS)

/** Says now and then that it is there, and ends it for whoever may read it no more. */
function keepOpen(stream: EventStream, request: FastifyRequest, deps: StreamDeps): void {
  const pinging = new RepeatingTask(deps, 'stream.ping', async () => {
    stream.send('ping', {})
    return PING_EVERY_MS
  })
  const checking = new RepeatingTask(deps, 'stream.check', async () => {
    // A database that is away for a while ends nothing.
    const isAdmitted = (await request.stillAdmitted?.().catch(() => true)) ?? true
    if (!isAdmitted) stream.end()
    return CHECK_EVERY_MS
  })
  void pinging.run(stream.signal)
  void checking.run(stream.signal, CHECK_EVERY_MS)
}

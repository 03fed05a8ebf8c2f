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
/** Streams of a revoked key or of a user who has signed out end within a second. */
const CHECK_EVERY_MS = 500
/** A stream whose reader falls this far behind is closed: the client connects again and reads what is stored. */
const MAX_BUFFERED_BYTES = 1_048_576
const RETRY_AFTER_MS = 5_000

declare module 'fastify' {
  interface FastifyInstance {
    /** The open streams and those that are about to open, each with the account that reads it. */
    streams: Map<Pick<LiveStream, 'end'>, string>
  }
}

/** A response that stays open, by server-sent events or over a WebSocket. */
export interface LiveStream {
  /** Aborts when the stream has ended, from either side. */
  readonly signal: AbortSignal
  /** Sends an event of any size and resolves when the reader has taken it, or when the stream has ended. */
  sendAll(event: string, data: unknown, id?: string): Promise<void>
  /** Keeps the connection open. */
  ping(): void
  end(): void
}

/** A response that stays open: events for one browser or program until either side ends it. */
export class EventStream implements LiveStream {
  readonly #raw: ServerResponse
  readonly #ended = new AbortController()
  #isSendingAll = false

  constructor(raw: ServerResponse) {
    this.#raw = raw
    raw.once('close', () => this.#ended.abort())
  }

  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** `false` if the stream has ended. */
  send(event: string, data: unknown, id?: string): boolean {
    if (this.signal.aborted) return false
    this.#raw.write(textOf(event, data, id))
    if (this.#raw.writableLength > MAX_BUFFERED_BYTES) this.#raw.destroy()
    return true
  }

  async sendAll(event: string, data: unknown, id?: string): Promise<void> {
    if (this.signal.aborted) return
    this.#isSendingAll = true
    await new Promise<void>(resolve => {
      const done = (): void => {
        this.signal.removeEventListener('abort', done)
        resolve()
      }
      this.signal.addEventListener('abort', done)
      this.#raw.write(textOf(event, data, id), done)
    })
    this.#isSendingAll = false
  }

  /** While an event is on its way, that keeps the connection open. */
  ping(): void {
    if (!this.#isSendingAll) this.send('ping', {})
  }

  end(): void {
    this.#raw.end()
    this.#ended.abort()
  }
}

const textOf = (event: string, data: unknown, id: string | undefined): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`

/** Tracks the open streams of a server and ends them when it closes, so that they never hold up a shutdown. */
export function keepStreams(app: FastifyInstance): void {
  const streams: FastifyInstance['streams'] = new Map()
  app.decorate('streams', streams)
  app.addHook('preClose', async () => {
    for (const stream of streams.keys()) stream.end()
  })
}

export type StreamDeps = Pick<Deps, 'clock' | 'config' | 'log' | 'nodeId'> & { store: Pick<Store, 'limits'> }

/** Opens an event stream; throws 429 if the account has too many. */
export async function openStream(reply: FastifyReply, deps: StreamDeps): Promise<EventStream> {
  const { request, raw } = reply
  const place = await takePlace(request, deps)
  reply.hijack()
  raw.writeHead(200, {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
  } as Record<string, string>)
  const stream = new EventStream(raw)
  place.open(stream)
  // A HEAD request would wait for an end that never comes; a client that has left would not close the stream again.
  if (request.method === 'HEAD' || raw.destroyed) stream.end()
  else keepOpen(stream, request, deps)
  return stream
}

/** A place among the streams of an account, which counts before its stream is open. */
interface Place {
  /** Gives the place to a stream until that ends. */
  open(stream: LiveStream): void
  free(): void
}

/** Counts in this process if it is the only one, otherwise in the store. */
export async function takePlace(request: FastifyRequest, deps: StreamDeps): Promise<Place> {
  const { streams } = request.server
  const accountId = request.identity!.account.id
  const isCountedHere = deps.config.databaseUrl === null
  if (isCountedHere && countOf(streams, accountId) >= BOUNDS.openStreams) throw tooManyStreams()
  let isClosing = false
  const opening = { end: () => void (isClosing = true) }
  streams.set(opening, accountId)
  try {
    const release = isCountedHere ? () => {} : await countInStore(request, deps, accountId)
    const free = (): void => {
      streams.delete(opening)
      release()
    }
    const open = (stream: LiveStream): void => {
      streams.delete(opening)
      streams.set(stream, accountId)
      const ended = (): void => {
        streams.delete(stream)
        release()
      }
      stream.signal.addEventListener('abort', ended, { once: true })
      if (isClosing) stream.end()
    }
    return { open, free }
  } catch (error) {
    streams.delete(opening)
    throw error
  }
}

const countOf = (streams: FastifyInstance['streams'], accountId: string): number =>
  [...streams.values()].filter(id => id === accountId).length

/** Returns the function that frees the place. */
async function countInStore(
  { server: { server } }: FastifyRequest,
  { clock, log, nodeId, store }: StreamDeps,
  accountId: string,
): Promise<() => void> {
  const id = makeId('strm')
  if (!(await store.limits.openAccountStream({ id, accountId, nodeId, max: BOUNDS.openStreams })))
    throw tooManyStreams()
  return () => {
    // When the process ends, its streams no longer count.
    const mayRetry = (): boolean => server.listening
    retryUntilReachable(clock, () => store.limits.closeAccountStream(id), { mayRetry }).catch((error: unknown) => {
      if (mayRetry()) log.warn({ err: error }, 'stream.close_failed')
    })
  }
}

const tooManyStreams = (): GatewayError =>
  tooManyOpen(`at most ${BOUNDS.openStreams} event streams of an account may be open; close one`, RETRY_AFTER_MS)

/** Sends a ping at intervals, and ends the stream when its reader loses access. */
export function keepOpen(stream: LiveStream, request: FastifyRequest, deps: StreamDeps): void {
  const pinging = new RepeatingTask(deps, 'stream.ping', async () => {
    stream.ping()
    return PING_EVERY_MS
  })
  const checking = new RepeatingTask(deps, 'stream.check', async () => {
    // An unreachable database ends no stream.
    const isAdmitted = (await request.stillAdmitted?.().catch(() => true)) ?? true
    if (!isAdmitted) stream.end()
    return CHECK_EVERY_MS
  })
  void pinging.run(stream.signal)
  void checking.run(stream.signal, CHECK_EVERY_MS)
}

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { RepeatingTask } from '../../runtime/repeating-task.ts'
import { answerClientError } from './client-errors.ts'
import { rejectTinyChunks } from './tiny-chunks.ts'
import { closeLingering } from './lingering-close.ts'
import { OpenConnections } from './open-connections.ts'
import { ProcessStalls } from './process-stalls.ts'

const CLOSE_IDLE_MS = 20
/** Requests of one connection that wait for their answers: browsers and libraries send one at a time. */
const MAX_PIPELINED = 16

interface Limits {
  maxConnections: number
  /** So long may the head of a request take to arrive, and all of it once more where this process itself was away. */
  headersMs: number
  /** So long may an answer lie unread before its connection ends. */
  unreadMs: number
  lookEveryMs: number
}

type Deps = Pick<Context, 'clock' | 'log'>

/** Keeps strangers from taking more of the gateway than a connection's worth. */
export function guardConnections(app: FastifyInstance, deps: Deps, limits: Limits): void {
  const connections = new OpenConnections(app.server, deps.clock)
  app.server.on('connection', (socket: Socket) => {
    if (connections.count > limits.maxConnections) connections.roomFor(socket).destroy()
    limitPipelining(socket, connections)
    rejectTinyChunks(socket)
  })
  // Whoever asks first whether a body is wanted is told so only when it is.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (request.headers.expect !== undefined) reply.raw.writeContinue()
    done()
  })
  closeLingering(app, deps.clock)
  const pauses = new ProcessStalls(deps.clock, limits.lookEveryMs)
  const closed = new AbortController()
  app.server.once('close', () => closed.abort())
  answerClientErrors(app, { connections, pauses, closed: closed.signal }, deps, limits)
  endConnections(app, { connections, pauses, closed: closed.signal }, deps, limits)
}

interface Watched {
  connections: OpenConnections
  pauses: ProcessStalls
  /** Aborts when the server is closed. */
  closed: AbortSignal
}

/** What a client wrote while this process was away lies unread, and is no fault of the client's: it gets its time again. */
function answerClientErrors(
  { server }: FastifyInstance,
  { connections, pauses, closed }: Watched,
  { clock }: Deps,
  { headersMs }: Limits,
): void {
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT' || !pauses.isJustOver) {
      answerClientError(error, socket)
      return
    }
    void clock.sleep(headersMs, closed).then(() => {
      if (connections.isAsking(socket)) answerClientError(error, socket)
    })
  })
}

/** Whoever does not read what it asked for holds its memory and a connection; and nobody holds up a shutdown. */
function endConnections(
  app: FastifyInstance,
  { connections, pauses, closed }: Watched,
  deps: Deps,
  limits: Limits,
): void {
  const looking = new RepeatingTask(deps, 'connections.look', async () => {
    pauses.look()
    connections.endUnread(limits.unreadMs)
    return limits.lookEveryMs
  })
  app.server.once('listening', () => void looking.run(closed, limits.lookEveryMs))
  const closing = new RepeatingTask(deps, 'connections.close', async () => {
    app.server.closeIdleConnections()
    return CLOSE_IDLE_MS
  })
  app.addHook('preClose', async () => {
    for (const socket of connections.silent) socket.destroy()
    if (app.server.listening) void closing.run(closed, CLOSE_IDLE_MS)
  })
}

/** Node's own parser of a connection; a request that it is told to treat as an upgrade is the last that it reads. */
interface Parser {
  onIncoming?: (request: IncomingMessage, keepAlive: boolean) => number
}

const LAST_REQUEST = 2

/**
 * The parser goes through all that one read brought, thousands of requests perhaps, before anything else goes on.
 * Nothing but its own answer stops it.
 */
function limitPipelining(socket: Socket, connections: OpenConnections): void {
  const { parser } = socket as Socket & { parser?: Parser }
  const next = parser?.onIncoming
  if (parser === undefined || next === undefined) return
  parser.onIncoming = (request, keepAlive) => {
    if (connections.unanswered(socket) < MAX_PIPELINED) return next(request, keepAlive)
    socket.destroy()
    return LAST_REQUEST
  }
}

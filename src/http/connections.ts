import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { dropCrumbs } from './crumbs.ts'

const CLOSE_IDLE_MS = 20
/** Requests of one connection that wait for their answers: browsers and libraries send one at a time. */
const MAX_PIPELINED = 16
/** A client that is refused while it still writes gets to read why: so much more is thrown away, so long. */
const LINGER_BYTES = 1_048_576
const LINGER_MS = 2_000
const LOOK_EVERY_MS = 100

interface Limits {
  maxConnections: number
  /** So long may an answer lie unread before its connection ends. */
  unreadMs: number
  lookEveryMs: number
}

/** Keeps strangers from taking more of the gateway than a connection's worth. */
export function guardConnections(app: FastifyInstance, limits: Limits): void {
  const waiting = keepWaiting(app)
  endUnreadAnswers(app, waiting, limits)
  app.server.on('connection', (socket: Socket) => {
    if (waiting.open() > limits.maxConnections) waiting.roomFor(socket).destroy()
    limitPipelining(socket, waiting)
    dropCrumbs(socket)
  })
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
    app.server.emit('request', request, response),
  )
  // Whoever asks first whether a body is wanted is told so only when it is.
  app.addHook('preParsing', async (request, reply) => {
    if (request.headers.expect !== undefined) reply.raw.writeContinue()
  })
  endUnreadBodies(app)
  app.addHook('preClose', async () => {
    for (const socket of waiting.silent()) socket.destroy()
    const closing = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_MS)
    app.server.once('close', () => clearInterval(closing))
  })
}

interface Waiting {
  open(): number
  /**
   * Who makes room for a newcomer: of those that never asked, or those that were answered, whichever are more, the
   * oldest; else whoever has not read its answer for longest.
   */
  roomFor(newcomer: Socket): Socket
  /** Those that never asked: they are neither idle nor answered, and would hold up a shutdown. */
  silent(): Iterable<Socket>
  unanswered(socket: Socket): number
  /** Ends connections on which nothing of what they asked for has left for so long. */
  endUnread(nowMs: number, unreadMs: number): void
}

interface Open {
  readonly answers: Set<ServerResponse>
  /** Bytes that have left, and since when no more have. */
  sent: number
  sentAtMs: number
}

/** Which connections are open, and which of them wait for a question. */
function keepWaiting(app: FastifyInstance): Waiting {
  const connections = new Map<Socket, Open>()
  const silent = new Set<Socket>()
  const idle = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    const open: Open = { answers: new Set(), sent: 0, sentAtMs: performance.now() }
    connections.set(socket, open)
    silent.add(socket)
    socket.once('close', () => {
      for (const kept of [connections, silent, idle]) kept.delete(socket)
      setImmediate(closeQueued, open.answers)
    })
  })
  app.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    silent.delete(socket)
    idle.delete(socket)
    const answers = connections.get(socket)?.answers
    answers?.add(response)
    response.once('close', () => {
      answers?.delete(response)
      if (!socket.destroyed && answers?.size === 0) idle.add(socket)
    })
  })
  const longestUnread = (): Socket | undefined => {
    let longest: [Socket, Open] | undefined
    for (const entry of connections)
      if (entry[0].writableLength > 0 && entry[1].sentAtMs < (longest?.[1].sentAtMs ?? Infinity)) longest = entry
    return longest?.[0]
  }
  return {
    open: () => connections.size,
    // Whoever holds the place with many of a kind loses one of that kind; somebody who has just come is behind them all.
    roomFor(newcomer) {
      const others = silent.size - 1
      const chosen = others > 0 && others >= idle.size ? first(silent) : first(idle)
      return chosen ?? longestUnread() ?? newcomer
    },
    silent: () => silent,
    unanswered: socket => connections.get(socket)?.answers.size ?? 0,
    endUnread(nowMs, unreadMs) {
      for (const [socket, open] of connections) {
        const sent = socket.bytesWritten - socket.writableLength
        if (socket.writableLength === 0 || sent !== open.sent) Object.assign(open, { sent, sentAtMs: nowMs })
        else if (nowMs - open.sentAtMs > unreadMs) socket.destroy()
      }
    },
  }
}

/** Node tells only the answer that is first in line that its connection is gone: what the others hold would stay open. */
function closeQueued(answers: Set<ServerResponse>): void {
  for (const response of answers) response.destroy().emit('close')
}

/** Whoever does not read what it asked for holds its memory and a connection. */
function endUnreadAnswers(app: FastifyInstance, waiting: Waiting, { unreadMs, lookEveryMs }: Limits): void {
  const looking = setInterval(() => waiting.endUnread(performance.now(), unreadMs), lookEveryMs)
  looking.unref()
  app.server.once('close', () => clearInterval(looking))
}

const first = <T>(set: Set<T>): T | undefined => set.values().next().value

/** Node's own parser of a connection; a request that it is told to treat as an upgrade is the last that it reads. */
interface Parser {
  onIncoming?: (request: IncomingMessage, keepAlive: boolean) => number
}
const LAST_REQUEST = 2

/**
 * The parser goes through all that one read brought, thousands of requests perhaps, before anything else has a turn.
 * Nothing but its own answer stops it.
 */
function limitPipelining(socket: Socket, waiting: Waiting): void {
  const { parser } = socket as Socket & { parser?: Parser }
  const next = parser?.onIncoming
  if (parser === undefined || next === undefined) return
  parser.onIncoming = (request, keepAlive) => {
    if (waiting.unanswered(socket) < MAX_PIPELINED) return next(request, keepAlive)
    socket.destroy()
    return LAST_REQUEST
  }
}

/** What a refused client still writes is thrown away for a while; then the connection ends instead of being read on. */
function endUnreadBodies(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => {
    // Closing at once would reset the connection, and the answer might be lost with it.
    if (!request.raw.complete) void reply.removeHeader('connection')
  })
  app.addHook('onResponse', async request => {
    if (!request.raw.complete) linger(request.raw)
  })
}

function linger(request: IncomingMessage): void {
  const { socket } = request
  // Throwing away what comes in chunks costs as much for a byte as for many: it stays unread.
  if (request.headers['transfer-encoding'] !== undefined) socket.pause()
  const upTo = socket.bytesRead + LINGER_BYTES
  const deadline = Date.now() + LINGER_MS
  const look = setInterval(() => {
    const isOver = socket.bytesRead > upTo || Date.now() > deadline
    if (isOver && !request.complete) socket.destroy()
    if (request.complete || socket.destroyed) clearInterval(look)
  }, LOOK_EVERY_MS)
  look.unref()
}

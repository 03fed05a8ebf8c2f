import { setMaxListeners } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { RepeatingTask } from '../../runtime/repeating-task.ts'
import { answerClientError, rejectConnect } from './client-errors.ts'
import { closeLingering } from './lingering-close.ts'
import { hookParser } from './node-parser.ts'
import { OpenConnections } from './open-connections.ts'
import { ProcessStalls } from './process-stalls.ts'
import { acceptChunk } from './tiny-chunks.ts'
import { mayUpgrade, serveUpgrades } from './upgrades.ts'

const CLOSE_IDLE_MS = 20
/** Pending requests of one connection: browsers and libraries send one at a time. */
const MAX_PIPELINED = 16
/** Bytes a second. The slowest mobile networks are faster. */
const MIN_BODY_RATE = 4_096

interface Limits {
  maxConnections: number
  /** How long the head of a request may take to arrive; twice as long if this process itself was stalled. */
  headersMs: number
  /** How long the body of a request may take to arrive, unless it is a file. */
  requestMs: number
  /** How long a client may leave a response unread before its connection ends. */
  unreadMs: number
  /** A client that sends its body more slowly than `MIN_BODY_RATE`, measured over this time, is answered with 408. */
  slowBodyMs: number
  checkEveryMs: number
}

type Deps = Pick<Context, 'clock' | 'log'>

/** Limits what one connection, and all of them together, may take of the gateway's memory and processor time. */
export function guardConnections(
  app: FastifyInstance,
  deps: Deps,
  limits: Limits,
  nodeVersion = process.versions.node,
): void {
  const connections = new OpenConnections(app.server, deps.clock)
  app.server.on('connection', (socket: Socket) => {
    if (connections.count > limits.maxConnections) connections.roomFor(socket).destroy()
  })
  limitRequests(app.server, connections, nodeVersion)
  serveUpgrades(app.server)
  // `Expect: 100-continue` asks whether a body is wanted: the yes is sent only after the checks that need no body.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (request.headers.expect !== undefined) reply.raw.writeContinue()
    done()
  })
  closeLingering(app, deps.clock)
  const stalls = new ProcessStalls(deps.clock, limits.checkEveryMs)
  const closed = new AbortController()
  // Each connection that a stall has delayed waits on it.
  setMaxListeners(0, closed.signal)
  app.server.once('close', () => closed.abort())
  answerClientErrors(app, { connections, stalls, closed: closed.signal }, deps, limits)
  endConnections(app, { connections, stalls, closed: closed.signal }, deps, limits)
}

/** Limits pipelined requests and tiny chunks: inside the parser if Node lets us, else as soon as Node reports them. */
function limitRequests(server: Server, connections: OpenConnections, nodeVersion: string): void {
  const unhooked = new WeakSet<Socket>()
  const hasRoom = (socket: Socket): boolean => connections.pending(socket).size < MAX_PIPELINED
  server.on('connection', (socket: Socket) => {
    const hooks = { mayUpgrade, acceptRequest: () => hasRoom(socket), acceptChunk }
    if (!hookParser(socket, hooks, nodeVersion)) unhooked.add(socket)
  })
  // Before the framework and `OpenConnections` get the request.
  server.prependListener('request', ({ socket }: IncomingMessage) => {
    if (unhooked.has(socket) && !hasRoom(socket)) socket.destroy()
  })
}

interface Watched {
  connections: OpenConnections
  stalls: ProcessStalls
  /** Aborts when the server is closed. */
  closed: AbortSignal
}

/** While this process was stalled, it did not read what clients wrote: those clients get the time for their headers again. */
function answerClientErrors(
  { server }: FastifyInstance,
  { connections, stalls, closed }: Watched,
  { clock }: Deps,
  { headersMs }: Limits,
): void {
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT' || !stalls.isJustOver) {
      answerClientError(error, socket, connections.pending(socket).keys())
      return
    }
    void clock.sleep(headersMs, closed).then(() => {
      if (connections.isReceiving(socket)) answerClientError(error, socket, connections.pending(socket).keys())
    })
  })
  server.on('connect', (_request, socket: Socket) => rejectConnect(socket, connections.pending(socket).keys()))
}

/** Ends connections whose clients do not read their responses, and at a shutdown those that wait for a request. */
function endConnections(
  app: FastifyInstance,
  { connections, stalls, closed }: Watched,
  deps: Deps,
  limits: Limits,
): void {
  const checking = new RepeatingTask(deps, 'connections.check', async () => {
    stalls.check()
    connections.endUnread(limits.unreadMs)
    connections.endHalfClosed()
    if (!stalls.isJustOver) endSlowBodies(connections, limits)
    return limits.checkEveryMs
  })
  app.server.once('listening', () => void checking.run(closed, limits.checkEveryMs))
  const closing = new RepeatingTask(deps, 'connections.close', async () => {
    app.server.closeIdleConnections()
    return CLOSE_IDLE_MS
  })
  app.addHook('preClose', async () => {
    for (const socket of connections.silent) socket.destroy()
    if (app.server.listening) void closing.run(closed, CLOSE_IDLE_MS)
  })
}

function endSlowBodies(connections: OpenConnections, { requestMs, slowBodyMs }: Limits): void {
  const slow = [...connections.slowBodies(MIN_BODY_RATE, slowBodyMs), ...connections.lateBodies(requestMs)]
  for (const socket of new Set(slow)) answerClientError(requestTimeout(), socket, connections.pending(socket).keys())
}

/** The error that Node reports for a request that takes too long as a whole. */
const requestTimeout = (): Error & { code: string } =>
  Object.assign(new Error('the body comes too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../runtime/clock.ts'

/** Responses that have not been sent in full, in the order of their requests. */
type Pending = Pick<ReadonlyMap<ServerResponse, number>, 'keys' | 'size'>

interface Open {
  /** The responses that have not been sent in full, and when the heads of their requests had arrived. */
  readonly pending: Map<ServerResponse, number>
  /** The bytes that have been sent, and when that number changed last. */
  sent: number
  sentAtMs: number
  /** The request whose body is being read, and what the connection had received when the current measurement began. */
  reading?: { request: IncomingMessage; received: number; sinceMs: number }
  /** Whether the gateway had ended its side at the last check. */
  isEnded: boolean
}

/** Requests whose body is a file, which may be large: only its rate is limited. */
const files = new WeakSet<IncomingMessage>()

export const receivesFile = (request: IncomingMessage): void => void files.add(request)

const NONE: Pending = new Map()

/** The open connections, and what each of them waits for. */
export class OpenConnections {
  readonly #clock: Clock
  readonly #open = new Map<Socket, Open>()
  /** Connections without a request so far. Node does not count them as idle, so they would hold up a shutdown. */
  readonly #silent = new Set<Socket>()
  readonly #idle = new Set<Socket>()

  constructor(server: Server, clock: Clock) {
    this.#clock = clock
    server.on('connection', socket => this.#add(socket))
    server.on('request', (request, response) => {
      this.#addResponse(request.socket, response)
    })
  }

  get count(): number {
    return this.#open.size
  }

  get silent(): Iterable<Socket> {
    return this.#silent
  }

  pending(socket: Socket): Pending {
    return this.#open.get(socket)?.pending ?? NONE
  }

  /** Whether a request has not arrived in full. */
  isReceiving(socket: Socket): boolean {
    const open = this.#open.get(socket)
    if (open === undefined || this.#idle.has(socket)) return false
    return open.pending.size === 0 || [...open.pending.keys()].some(({ req }) => !req.complete)
  }

  /**
   * Chooses the connection that is closed for a new one: the oldest silent or the oldest idle connection, of whichever
   * kind there are more; else the one that has left its response unread longest. A client that fills the gateway with
   * one kind of connection therefore loses its own.
   */
  roomFor(newcomer: Socket): Socket {
    const others = this.#silent.size - 1
    const chosen = others > 0 && others >= this.#idle.size ? first(this.#silent) : first(this.#idle)
    return chosen ?? this.#longestUnread() ?? newcomer
  }

  /** Ends connections whose clients have read nothing of their pending responses for this long. */
  endUnread(unreadMs: number): void {
    const nowMs = this.#clock.monotonicMs()
    for (const [socket, open] of this.#open) {
      const sent = socket.bytesWritten - socket.writableLength
      if (socket.writableLength === 0 || sent !== open.sent) Object.assign(open, { sent, sentAtMs: nowMs })
      else if (nowMs - open.sentAtMs > unreadMs) socket.destroy()
    }
  }

  /**
   * The connections whose clients send a body more slowly than this, measured over at least `overMs`. A body that the
   * gateway does not read at the moment is not slow.
   */
  slowBodies(bytesPerSecond: number, overMs: number): Socket[] {
    const nowMs = this.#clock.monotonicMs()
    const slow: Socket[] = []
    for (const [socket, open] of this.#open) {
      const request = bodyBeingRead(open.pending)
      const received = socket.bytesRead
      if (request === undefined) delete open.reading
      else if (open.reading?.request !== request) open.reading = { request, received, sinceMs: nowMs }
      else if (nowMs - open.reading.sinceMs >= overMs) {
        const expected = ((nowMs - open.reading.sinceMs) / 1_000) * bytesPerSecond
        if (received - open.reading.received < expected) slow.push(socket)
        else open.reading = { request, received, sinceMs: nowMs }
      }
    }
    return slow
  }

  /** The connections whose requests have not arrived in full for this long, except for files. */
  lateBodies(requestMs: number): Socket[] {
    const beforeMs = this.#clock.monotonicMs() - requestMs
    const isLate = ([{ req }, begunMs]: [ServerResponse, number]): boolean =>
      !req.complete && !files.has(req) && begunMs < beforeMs
    return [...this.#open].filter(([, { pending }]) => [...pending].some(isLate)).map(([socket]) => socket)
  }

  /** Destroys connections that this side ended before the last check and that their clients keep half open. */
  endHalfClosed(): void {
    for (const [socket, open] of this.#open) {
      if (open.isEnded) socket.destroy()
      open.isEnded = socket.writableFinished
    }
  }

  #add(socket: Socket): void {
    const open: Open = { pending: new Map(), sent: 0, sentAtMs: this.#clock.monotonicMs(), isEnded: false }
    this.#open.set(socket, open)
    this.#silent.add(socket)
    socket.once('close', () => {
      for (const sockets of [this.#open, this.#silent, this.#idle]) sockets.delete(socket)
      setImmediate(closeQueued, open.pending)
    })
  }

  #addResponse(socket: Socket, response: ServerResponse): void {
    this.#silent.delete(socket)
    this.#idle.delete(socket)
    const pending = this.#open.get(socket)?.pending
    pending?.set(response, this.#clock.monotonicMs())
    response.once('close', () => {
      pending?.delete(response)
      if (!socket.destroyed && pending?.size === 0) this.#idle.add(socket)
    })
  }

  #longestUnread(): Socket | undefined {
    let longest: [Socket, Open] | undefined
    for (const entry of this.#open)
      if (entry[0].writableLength > 0 && entry[1].sentAtMs < (longest?.[1].sentAtMs ?? Infinity)) longest = entry
    return longest?.[0]
  }
}

/** Node emits `close` only on the first pending response of a closed connection: the others would keep what they hold. */
function closeQueued(pending: Pending): void {
  for (const response of pending.keys()) response.destroy().emit('close')
}

/**
 * Only the last request of a connection can be incomplete. A body flows while a reader waits for its next bytes; a file
 * is read in parts, and its reader waits while none of it is left to read.
 */
function bodyBeingRead(pending: Pending): IncomingMessage | undefined {
  const isBeingRead = (req: IncomingMessage): boolean =>
    files.has(req) ? req.readableLength === 0 : req.readableFlowing === true
  for (const { req } of pending.keys()) if (!req.complete && isBeingRead(req)) return req
  return undefined
}

const first = <T>(set: Set<T>): T | undefined => set.values().next().value

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../runtime/clock.ts'

interface Open {
  readonly answers: Set<ServerResponse>
  /** Bytes that have left, and since when no more have. */
  sent: number
  sentAtMs: number
}

/** Which connections are open, and which of them wait for a question. */
export class OpenConnections {
  readonly #clock: Clock
  readonly #open = new Map<Socket, Open>()
  /** Those that never asked: they are neither idle nor answered, and would hold up a shutdown. */
  readonly #silent = new Set<Socket>()
  readonly #idle = new Set<Socket>()

  constructor(server: Server, clock: Clock) {
    this.#clock = clock
    server.on('connection', socket => this.#add(socket))
    server.on('request', ({ socket }, response) => this.#asked(socket, response))
  }

  get count(): number {
    return this.#open.size
  }

  get silent(): Iterable<Socket> {
    return this.#silent
  }

  unanswered(socket: Socket): number {
    return this.#open.get(socket)?.answers.size ?? 0
  }

  /** Whether a request of it has not arrived in full. */
  isAsking(socket: Socket): boolean {
    const open = this.#open.get(socket)
    if (open === undefined || this.#idle.has(socket)) return false
    return open.answers.size === 0 || [...open.answers].some(({ req }) => !req.complete)
  }

  /**
   * Who makes room for a newcomer: of those that never asked, or those that were answered, whichever are more, the
   * oldest; else whoever has not read its answer for longest. Whoever holds the place with many of a kind loses one of
   * that kind; somebody who has just come is behind them all.
   */
  roomFor(newcomer: Socket): Socket {
    const others = this.#silent.size - 1
    const chosen = others > 0 && others >= this.#idle.size ? first(this.#silent) : first(this.#idle)
    return chosen ?? this.#longestUnread() ?? newcomer
  }

  /** Ends connections on which nothing of what they asked for has left for so long. */
  endUnread(unreadMs: number): void {
    const nowMs = this.#clock.monotonicMs()
    for (const [socket, open] of this.#open) {
      const sent = socket.bytesWritten - socket.writableLength
      if (socket.writableLength === 0 || sent !== open.sent) Object.assign(open, { sent, sentAtMs: nowMs })
      else if (nowMs - open.sentAtMs > unreadMs) socket.destroy()
    }
  }

  #add(socket: Socket): void {
    const open: Open = { answers: new Set(), sent: 0, sentAtMs: this.#clock.monotonicMs() }
    this.#open.set(socket, open)
    this.#silent.add(socket)
    socket.once('close', () => {
      for (const kept of [this.#open, this.#silent, this.#idle]) kept.delete(socket)
      setImmediate(closeQueued, open.answers)
    })
  }

  #asked(socket: Socket, response: ServerResponse): void {
    this.#silent.delete(socket)
    this.#idle.delete(socket)
    const answers = this.#open.get(socket)?.answers
    answers?.add(response)
    response.once('close', () => {
      answers?.delete(response)
      if (!socket.destroyed && answers?.size === 0) this.#idle.add(socket)
    })
  }

  #longestUnread(): Socket | undefined {
    let longest: [Socket, Open] | undefined
    for (const entry of this.#open)
      if (entry[0].writableLength > 0 && entry[1].sentAtMs < (longest?.[1].sentAtMs ?? Infinity)) longest = entry
    return longest?.[0]
  }
}

/** Node tells only the answer that is first in line that its connection is gone: what the others hold would stay open. */
function closeQueued(answers: Set<ServerResponse>): void {
  for (const response of answers) response.destroy().emit('close')
}

const first = <T>(set: Set<T>): T | undefined => set.values().next().value

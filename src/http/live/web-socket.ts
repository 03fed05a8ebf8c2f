import type { IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { WebSocket } from 'ws'
import { GatewayError } from '../../domain/errors.ts'
import type { Upgrade } from '../connection/upgrades.ts'
import { keepOpen, type LiveStream, type StreamDeps, takePlace } from './sse.ts'

/** The longest message of a client: an acknowledgement. */
const MAX_MESSAGE_BYTES = 1_024
/** How long a client may take to answer the end of the connection. */
const CLOSING_MS = 1_000
const GOING_AWAY = 1001
const POLICY_VIOLATION = 1008
const INTERNAL_ERROR = 1011

/** What a client of a WebSocket may send; throws a `GatewayError` if the message makes no sense. */
export type OnMessage = (text: string) => Promise<void>

/** A WebSocket with the events of an `EventStream`, each as a JSON object `{event, data}`. */
class SocketStream implements LiveStream {
  readonly #socket: WebSocket
  readonly #ended = new AbortController()
  #hasAnswered = true
  #message: string | undefined
  #isHandling = false
  #pinged: Buffer | undefined
  #isAnswering = false

  constructor(socket: WebSocket, onMessage: OnMessage) {
    this.#socket = socket
    socket.on('error', () => socket.terminate())
    socket.once('close', () => this.#ended.abort())
    socket.on('pong', () => (this.#hasAnswered = true))
    socket.on('ping', (data: Buffer) => {
      this.#pinged = data
      void this.#answerPings()
    })
    socket.on('message', (data: Buffer) => {
      this.#message = data.toString('utf8')
      void this.#handle(onMessage)
    })
  }

  get signal(): AbortSignal {
    return this.#ended.signal
  }

  async sendAll(event: string, data: unknown): Promise<void> {
    if (this.signal.aborted) return
    await new Promise<void>(resolve => this.#socket.send(JSON.stringify({ event, data }), () => resolve()))
  }

  ping(): void {
    if (this.signal.aborted || this.#socket.bufferedAmount > 0) return
    if (!this.#hasAnswered) return this.#socket.terminate()
    this.#hasAnswered = false
    this.#socket.ping()
  }

  end(): void {
    this.#close(GOING_AWAY)
  }

  /** One message at a time, and of those that came meanwhile only the last: it acknowledges the most. */
  async #handle(onMessage: OnMessage): Promise<void> {
    if (this.#isHandling) return
    this.#isHandling = true
    try {
      while (this.#message !== undefined && !this.signal.aborted) {
        const message = this.#message
        this.#message = undefined
        await onMessage(message)
      }
    } catch (error) {
      // After another failure, such as an unreachable database, the client may connect again and repeat the message.
      this.#close(error instanceof GatewayError ? POLICY_VIOLATION : INTERNAL_ERROR)
    } finally {
      this.#isHandling = false
    }
  }

  /** One answer at a time, and of the pings that came meanwhile only to the last: a client may read none of them. */
  async #answerPings(): Promise<void> {
    if (this.#isAnswering) return
    this.#isAnswering = true
    while (this.#pinged !== undefined && !this.signal.aborted) {
      const data = this.#pinged
      this.#pinged = undefined
      await new Promise<void>(resolve => this.#socket.pong(data, false, () => resolve()))
    }
    this.#isAnswering = false
  }

  #close(code: number): void {
    this.#socket.close(code)
    setTimeout(() => this.#socket.terminate(), CLOSING_MS).unref()
    this.#ended.abort()
  }
}

/** Turns the connection of a request into a WebSocket; throws 429 if the account has too many streams. */
export async function openSocket(
  reply: FastifyReply,
  upgrade: Upgrade,
  deps: StreamDeps,
  onMessage: OnMessage,
): Promise<LiveStream | undefined> {
  const { request } = reply
  const place = await takePlace(request, deps)
  reply.hijack()
  const socket = await shakeHands(request.raw, upgrade)
  if (socket === undefined) {
    place.free()
    return undefined
  }
  const stream = new SocketStream(socket, onMessage)
  place.open(stream)
  keepOpen(stream, request, deps)
  return stream
}

/** `undefined` if the client has left, or if the library rejects its handshake. */
async function shakeHands(request: IncomingMessage, { socket, head }: Upgrade): Promise<WebSocket | undefined> {
  // Loaded with the first WebSocket.
  const { WebSocketServer } = await import('ws')
  // Its event has been emitted already.
  if (socket.destroyed) return undefined
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    autoPong: false,
  })
  return await new Promise(resolve => {
    socket.once('close', () => resolve(undefined))
    server.handleUpgrade(request, socket, head, resolve)
  })
}

import type { Socket } from 'node:net'
import { decodeBinaryNode, encodeBinaryNode, type proto } from 'baileys'
import type { RawData, WebSocket } from 'ws'
import type { ServerKeys } from './certificate.ts'
import { frame, FrameReader } from './frames.ts'
import type { BinaryNode } from './node.ts'
import { type ClientFinish, Handshake, type Transport } from './noise.ts'

/** One client's link after the handshake. After `close` or `cut` nothing is sent or reported any more. */
export interface Connection {
  readonly clientStatic: Buffer
  readonly payload: proto.ClientPayload
  send(stanza: BinaryNode): void
  /** Closes the link in order, after everything already sent. */
  close(): void
  /** Ends the link as a network failure does. */
  cut(): void
  /** Keeps the link open but ignores input and sends nothing. */
  silence(): void
}

export interface ConnectionEvents {
  /** Called after the handshake; returns the handler of the stanzas that follow. */
  onReady(connection: Connection): (stanza: BinaryNode) => void
  /** Called with each stanza that is sent to the client. */
  onSend(stanza: BinaryNode): void
  onClosed(connection: Connection): void
  /** Whether the server accepts routing information before the handshake. */
  takesRouting(): boolean
  onError(error: unknown): void
}

export type Encode = (stanza: BinaryNode) => Buffer

/** How long a client may take for the handshake. */
const HANDSHAKE_TIMEOUT_MS = 20_000

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}

/** Combines the stanzas of one turn of the event loop into one write. */
class Cork {
  readonly #tcp: Socket
  #pending: NodeJS.Immediate | undefined

  constructor(tcp: Socket) {
    this.#tcp = tcp
  }

  hold(): void {
    if (this.#pending !== undefined) return
    this.#tcp.cork()
    this.#pending = setImmediate(() => this.release())
  }

  release(): void {
    if (this.#pending === undefined) return
    clearImmediate(this.#pending)
    this.#pending = undefined
    this.#tcp.uncork()
  }
}

/** The transport after the handshake, and the handler of its stanzas. */
interface Stanzas {
  readonly transport: Transport
  readonly handle: (stanza: BinaryNode) => void
}

/** A client's socket from its first byte on: the handshake, then stanzas in both directions. */
export class ClientLink {
  readonly #socket: WebSocket
  readonly #on: ConnectionEvents
  readonly #encode: Encode
  readonly #cork: Cork
  readonly #handshake: Handshake
  readonly #deadline: NodeJS.Timeout
  #state: 'open' | 'silent' | 'closed' = 'open'
  #isGreeted = false
  #connection: Connection | undefined
  #stanzas: Stanzas | undefined
  #decoded = Promise.resolve()

  constructor(
    socket: WebSocket,
    tcp: Socket,
    keys: ServerKeys,
    on: ConnectionEvents,
    encode: Encode = encodeBinaryNode,
  ) {
    this.#socket = socket
    this.#on = on
    this.#encode = encode
    this.#cork = new Cork(tcp)
    this.#handshake = new Handshake(keys)
    this.#deadline = setTimeout(() => socket.terminate(), HANDSHAKE_TIMEOUT_MS)
    this.#deadline.unref()
    const frames = new FrameReader(
      data => this.#take(data),
      () => on.takesRouting(),
    )
    socket.on('message', data => {
      try {
        frames.read(toBuffer(data))
      } catch (error) {
        this.#fail(error)
      }
    })
    socket.on('close', () => this.#end(() => {}))
    socket.on('error', () => this.#end(() => socket.terminate()))
  }

  #take(data: Buffer): void {
    if (this.#state !== 'open') return
    if (!this.#isGreeted) {
      this.#isGreeted = true
      this.#socket.send(frame(this.#handshake.hello(data)))
    } else if (this.#stanzas === undefined) this.#establish(this.#handshake.finish(data))
    else this.#takeStanza(this.#stanzas, data)
  }

  #establish({ clientStatic, payload, transport }: ClientFinish): void {
    clearTimeout(this.#deadline)
    const connection: Connection = {
      clientStatic,
      payload,
      send: stanza => this.#send(transport, stanza),
      close: () => this.#end(() => this.#socket.close()),
      cut: () => this.#end(() => this.#socket.terminate()),
      silence: () => {
        if (this.#state === 'open') this.#state = 'silent'
      },
    }
    this.#connection = connection
    this.#stanzas = { transport, handle: this.#on.onReady(connection) }
  }

  #takeStanza({ transport, handle }: Stanzas, data: Buffer): void {
    const stanza = decodeBinaryNode(transport.open(data))
    this.#decoded = this.#decoded
      .then(async () => (this.#state === 'open' ? handle(await stanza) : undefined))
      .catch((error: unknown) => this.#fail(error))
  }

  #send(transport: Transport, stanza: BinaryNode): void {
    if (this.#state !== 'open') return
    this.#on.onSend(stanza)
    this.#cork.hold()
    this.#socket.send(frame(transport.seal(this.#encode(stanza))))
  }

  #fail(error: unknown): void {
    this.#on.onError(error)
    this.#end(() => this.#socket.terminate())
  }

  #end(finish: () => void): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    clearTimeout(this.#deadline)
    this.#cork.release()
    finish()
    if (this.#connection) this.#on.onClosed(this.#connection)
  }
}

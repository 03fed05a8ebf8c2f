import type { Socket } from 'node:net'
import type { proto } from 'baileys'
import { decodeBinaryNode, encodeBinaryNode } from 'baileys'
import type { RawData, WebSocket } from 'ws'
import type { ServerKeys } from './certificate.ts'
import { createFrameReader, frame } from './frames.ts'
import type { BinaryNode } from './node.ts'
import type { ClientFinish, Transport } from './noise.ts'
import { startHandshake } from './noise.ts'

/** One client's link. After `close` or `cut` nothing is sent or reported any more. */
export interface Connection {
  readonly clientStatic: Buffer
  readonly payload: proto.ClientPayload
  send(stanza: BinaryNode): void
  /** Ends the link in order, after what was sent. */
  close(): void
  /** Ends the link as a network failure does. */
  cut(): void
  /** Keeps the link but neither hears nor says anything on it. */
  silence(): void
}

export interface ConnectionEvents {
  /** The handshake is done; returns what hears the stanzas that follow. */
  onReady(connection: Connection): (stanza: BinaryNode) => void
  onClosed(connection: Connection): void
  onError(error: unknown): void
}

export type Encode = (stanza: BinaryNode) => Buffer

/** How long a client may take for the handshake. */
const HANDSHAKE_TIMEOUT_MS = 20_000

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}

interface Cork {
  hold(): void
  release(): void
}

/** Stanzas sent in one turn of the event loop leave in one write. */
function createCork(tcp: Socket): Cork {
  let pending: NodeJS.Immediate | undefined
  const release = (): void => {
    if (pending === undefined) return
    clearImmediate(pending)
    pending = undefined
    tcp.uncork()
  }
  return {
    hold() {
      if (pending !== undefined) return
      tcp.cork()
      pending = setImmediate(release)
    },
    release,
  }
}

interface Link {
  state: 'open' | 'silent' | 'closed'
  end(finish: () => void): void
}

function connectionOver(socket: WebSocket, cork: Cork, link: Link, finished: ClientFinish, encode: Encode): Connection {
  return {
    clientStatic: finished.clientStatic,
    payload: finished.payload,
    send: stanza => {
      if (link.state !== 'open') return
      cork.hold()
      socket.send(frame(finished.transport.seal(encode(stanza))))
    },
    close: () => link.end(() => socket.close()),
    cut: () => link.end(() => socket.terminate()),
    silence: () => {
      if (link.state === 'open') link.state = 'silent'
    },
  }
}

export function acceptConnection(
  socket: WebSocket,
  tcp: Socket,
  keys: ServerKeys,
  on: ConnectionEvents,
  encode: Encode = encodeBinaryNode,
): void {
  const cork = createCork(tcp)
  const handshake = startHandshake(keys)
  let greeted = false
  let established: { readonly connection: Connection; readonly transport: Transport } | undefined
  let hear: (stanza: BinaryNode) => void = () => {}
  let decoded = Promise.resolve()
  const timer = setTimeout(() => socket.terminate(), HANDSHAKE_TIMEOUT_MS)
  timer.unref()

  const link: Link = {
    state: 'open',
    end(finish) {
      if (link.state === 'closed') return
      link.state = 'closed'
      clearTimeout(timer)
      cork.release()
      finish()
      if (established) on.onClosed(established.connection)
    },
  }
  const fail = (error: unknown): void => {
    on.onError(error)
    link.end(() => socket.terminate())
  }
  const readFrame = (data: Buffer): void => {
    if (link.state !== 'open') return
    if (!greeted) {
      greeted = true
      socket.send(frame(handshake.hello(data)))
    } else if (!established) {
      const finished = handshake.finish(data)
      clearTimeout(timer)
      established = { transport: finished.transport, connection: connectionOver(socket, cork, link, finished, encode) }
      hear = on.onReady(established.connection)
    } else {
      const stanza = decodeBinaryNode(established.transport.open(data))
      decoded = decoded.then(async () => (link.state === 'open' ? hear(await stanza) : undefined)).catch(fail)
    }
  }
  const readChunk = createFrameReader(readFrame)
  socket.on('message', data => {
    try {
      readChunk(toBuffer(data))
    } catch (error) {
      fail(error)
    }
  })
  socket.on('close', () => link.end(() => {}))
  socket.on('error', () => link.end(() => socket.terminate()))
}

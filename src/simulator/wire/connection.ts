import type { proto } from 'baileys'
import { decodeBinaryNode, encodeBinaryNode } from 'baileys'
import type { RawData, WebSocket } from 'ws'
import type { ServerKeys } from './certificate.ts'
import { createFrameReader, frame } from './frames.ts'
import type { BinaryNode } from './node.ts'
import type { Transport } from './noise.ts'
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
  readonly open: boolean
}

export interface ConnectionEvents {
  /** The handshake is done; returns what hears the stanzas that follow. */
  onReady(connection: Connection): (stanza: BinaryNode) => void
  onClosed(connection: Connection): void
  onError(error: unknown): void
}

/** How long a client may take for the handshake. */
const HANDSHAKE_TIMEOUT_MS = 20_000

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}

export function acceptConnection(socket: WebSocket, keys: ServerKeys, on: ConnectionEvents): void {
  const handshake = startHandshake(keys)
  let greeted = false
  let transport: Transport | undefined
  let connection: Connection | undefined
  let hear: (stanza: BinaryNode) => void = () => {}
  let state: 'open' | 'silent' | 'closed' = 'open'
  let decoded = Promise.resolve()
  const timer = setTimeout(() => socket.terminate(), HANDSHAKE_TIMEOUT_MS)
  timer.unref()

  const end = (finish: () => void): void => {
    if (state === 'closed') return
    state = 'closed'
    clearTimeout(timer)
    finish()
    if (connection) on.onClosed(connection)
  }
  const finishHandshake = (data: Buffer): void => {
    const finished = handshake.finish(data)
    transport = finished.transport
    clearTimeout(timer)
    const sealWith = finished.transport
    connection = {
      clientStatic: finished.clientStatic,
      payload: finished.payload,
      send: stanza => {
        if (state === 'open') socket.send(frame(sealWith.seal(encodeBinaryNode(stanza))))
      },
      close: () => end(() => socket.close()),
      cut: () => end(() => socket.terminate()),
      silence: () => {
        if (state === 'open') state = 'silent'
      },
      get open() {
        return state !== 'closed'
      },
    }
    hear = on.onReady(connection)
  }
  const readFrame = (data: Buffer): void => {
    if (state !== 'open') return
    if (!greeted) {
      greeted = true
      socket.send(frame(handshake.hello(data)))
    } else if (!transport) finishHandshake(data)
    else {
      const stanza = decodeBinaryNode(transport.open(data))
      decoded = decoded.then(() => stanza.then(heard => (state === 'open' ? hear(heard) : undefined))).catch(fail)
    }
  }
  const fail = (error: unknown): void => {
    on.onError(error)
    end(() => socket.terminate())
  }
  const readChunk = createFrameReader(readFrame)

  socket.on('message', data => {
    try {
      readChunk(toBuffer(data))
    } catch (error) {
      fail(error)
    }
  })
  socket.on('close', () => end(() => {}))
  socket.on('error', () => end(() => socket.terminate()))
}

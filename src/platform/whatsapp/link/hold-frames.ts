import type { EventEmitter } from 'node:events'
import type { WASocket } from 'baileys'
import type { Gate } from './gate.ts'
import type { Transactions } from './transactions.ts'

/** The WebSocket inside the library's socket. */
interface RawSocket extends EventEmitter {
  readyState: number
  send(frame: Uint8Array, done?: (error?: Error) => void): void
  close(): void
  terminate(): void
}

type Inside = { socket: RawSocket | null; close(): Promise<void> }

const CLOSE_GRACE_MS = 2_000
const OPEN = 1

const rawSocketOf = (sock: WASocket): RawSocket | null => (sock.ws as unknown as Inside).socket

/** Sends every frame of the library through a gate. The write counts as done immediately: its caller must not wait. */
export function holdFrames(
  sock: WASocket,
  transactions: Transactions,
  makeGate: (send: (frame: Uint8Array) => void) => Gate,
): Gate {
  const raw = rawSocketOf(sock)
  if (!raw) throw new Error('the library has no socket')
  const send = raw.send.bind(raw)
  const gate = makeGate(frame => {
    if (raw.readyState === OPEN) send(frame)
  })
  const isQuery = watchQueries(sock)
  raw.send = (frame, done) => {
    gate.write(frame, isQuery() ? undefined : transactions.current())
    done?.()
  }
  return gate
}

/**
 * The library listens for the response right before it writes a query: the next frame in the same task is the query.
 */
function watchQueries(sock: WASocket): () => boolean {
  const on = sock.ws.on.bind(sock.ws)
  let expected = false
  sock.ws.on = (event: string | symbol, listener: (...args: unknown[]) => void) => {
    if (typeof event === 'string' && event.startsWith('TAG:')) {
      expected = true
      queueMicrotask(() => {
        expected = false
      })
    }
    return on(event as string, listener)
  }
  return () => {
    const was = expected
    expected = false
    return was
  }
}

/**
 * Terminates a socket whose peer does not answer the closing handshake: a dead link must not take half a minute to end.
 */
export function closeQuickly(sock: WASocket): void {
  const inside = sock.ws as unknown as Inside
  inside.close = async () => {
    const raw = inside.socket
    if (!raw) return
    const closed = new Promise(resolve => raw.once('close', resolve))
    const timer = setTimeout(() => raw.terminate(), CLOSE_GRACE_MS)
    raw.close()
    await closed
    clearTimeout(timer)
    inside.socket = null
  }
}

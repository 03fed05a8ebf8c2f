import { connect, type Socket } from 'node:net'
import { until } from './until.ts'

/** A bare connection for a client that does not follow the protocol. */
export interface Stranger {
  socket: Socket
  write(bytes: string | Uint8Array): void
  /** Everything received so far. */
  received(): string
  /** Waits until this text has arrived. */
  receives(what: string | RegExp): Promise<string>
  isClosed(): boolean
  leave(): void
}

export function comeAsStranger(base: string): Stranger {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  let text = ''
  let isClosed = false
  socket.on('data', chunk => (text += chunk.toString('latin1')))
  socket.on('error', () => {})
  socket.on('close', () => (isClosed = true))
  return {
    socket,
    write: bytes => void socket.write(bytes),
    received: () => text,
    async receives(what) {
      await until(() => (typeof what === 'string' ? text.includes(what) : what.test(text)))
      return text
    },
    isClosed: () => isClosed,
    leave: () => void socket.destroy(),
  }
}

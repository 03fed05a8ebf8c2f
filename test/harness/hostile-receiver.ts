import { createServer, type Server, type Socket } from 'node:net'

export interface RawReceiver {
  readonly port: number
  readonly url: string
  /** Connections accepted so far. */
  connections(): number
  /** Connections open now. */
  open(): number
  close(): Promise<void>
}

/** A TCP server on the loopback that does to each connection what it is told, once the request's head is in. */
export async function rawReceiver(
  behave: (socket: Socket) => void,
  { onConnect = false, host = '127.0.0.1' } = {},
): Promise<RawReceiver> {
  const sockets = new Set<Socket>()
  let accepted = 0
  const server: Server = createServer(socket => {
    accepted++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    if (onConnect) {
      socket.resume()
      return behave(socket)
    }
    let head = ''
    const onData = (chunk: Buffer) => {
      head += chunk.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      head = ''
      behave(socket)
    }
    socket.on('data', onData)
  })
  await new Promise<void>(resolve => server.listen(0, host, resolve))
  const { port } = server.address() as { port: number }
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    connections: () => accepted,
    open: () => sockets.size,
    close: () =>
      new Promise(resolve => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** Writes again and again for as long as the other side takes it. */
export function pour(socket: Socket, piece: Buffer | string): void {
  // One piece at a turn: receiver and sender share a thread, and a loop here would starve the sender.
  const more = () => {
    if (!socket.destroyed) socket.write(piece, error => error || setImmediate(more))
  }
  more()
}

/** Writes one byte of the text every so often, and goes round when it is over. */
export function drip(socket: Socket, text: string, everyMs: number): void {
  let at = 0
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer)
    else socket.write(text[at++ % text.length] as string)
  }, everyMs)
  socket.on('close', () => clearInterval(timer))
}

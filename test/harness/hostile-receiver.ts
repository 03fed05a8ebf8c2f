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

/** A TCP server on the loopback that runs `behave` on each connection once the request's headers have arrived. */
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

/** Writes repeatedly for as long as the other side reads. */
export function pour(socket: Socket, piece: Buffer | string): void {
  // One piece per iteration of the event loop: receiver and sender share a thread, and a loop would starve the sender.
  const more = () => {
    if (!socket.destroyed) socket.write(piece, error => error || setImmediate(more))
  }
  more()
}

/** Writes one byte of the text at each interval, and starts again at its end. */
export function drip(socket: Socket, text: string, everyMs: number): void {
  let at = 0
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer)
    else socket.write(text[at++ % text.length] as string)
  }, everyMs)
  socket.on('close', () => clearInterval(timer))
}

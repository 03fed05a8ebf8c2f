import { connect, createServer, type Socket } from 'node:net'

/** A relay to a server on this machine that can stop responding: connections stay open, and nothing passes. */
export interface Relay {
  port: number
  /** Nothing passes; new connections are accepted and get no response. */
  silence(): void
  /** Passes what was held back, and everything after it. */
  resume(): void
  close(): Promise<void>
}

export async function startRelay(target: number): Promise<Relay> {
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer(client => {
    const upstream = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', chunk => void to.write(chunk))
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      if (isSilent) from.pause()
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    silence() {
      isSilent = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      isSilent = false
      for (const socket of sockets) socket.resume()
    },
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** The same database through the relay. */
export function atPort(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl)
  // A test that silences the relay waits no longer than a user would.
  url.search = ''
  url.port = String(port)
  return url.href
}

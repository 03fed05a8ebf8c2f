import { connect, createServer } from 'node:net'

/** A relay to a database that can delay every chunk. */
export async function startSlowRelay(target) {
  const sockets = new Set()
  let delayMs = 0
  const pass = (from, to) => {
    sockets.add(from)
    from.on('data', chunk => setTimeout(() => to.write(chunk), delayMs))
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      setTimeout(() => to.destroy(), delayMs)
    })
  }
  const server = createServer(client => {
    const upstream = connect(target, '127.0.0.1')
    pass(client, upstream)
    pass(upstream, client)
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: server.address().port,
    delay: ms => (delayMs = ms),
    stop: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

import { createServer } from 'node:net'

/**
 * Endpoints that respond with 200 immediately. They use HTTP over bare sockets, so that they cost far less than the sender that
 * is measured. On request they record when each message arrived.
 */
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
let arrivals

function serve(socket) {
  let pending = Buffer.alloc(0)
  socket.setNoDelay()
  socket.on('error', () => {})
  socket.on('data', chunk => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    for (;;) {
      const end = pending.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = pending.latin1Slice(0, end)
      const length = Number(/content-length: (\d+)/i.exec(head)[1])
      if (pending.length < end + 4 + length) return
      if (arrivals !== undefined) {
        arrivals.push([/x-message-id: (\S+)/i.exec(head)[1], performance.timeOrigin + performance.now()])
      }
      socket.write(ANSWER)
      pending = pending.subarray(end + 4 + length)
    }
  })
}

/** Opens this many endpoints; returns their ports. */
export const listen = count => Promise.all(Array.from({ length: count }, listenOnce))

const listenOnce = () =>
  new Promise(resolve => {
    const server = createServer(serve).listen(0, '127.0.0.1', () => resolve(server.address().port))
  })

export function watch() {
  arrivals = []
}

export function takeArrivals() {
  const taken = arrivals
  arrivals = undefined
  return taken
}

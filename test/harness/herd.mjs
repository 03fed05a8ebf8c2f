// A separate process for receivers, so that their cost is not counted as the sender's. Usage: fork with `hostile
// <count>` or `healthy`; the ports come as one message.
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'

const head = 'HTTP/1.1 200 OK\r\n'

function pour(socket, piece) {
  if (!socket.destroyed) socket.write(piece, error => error || setImmediate(pour, socket, piece))
}

function drip(socket, text) {
  let at = 0
  const timer = setInterval(() => socket.write(text[at++ % text.length]), 100)
  socket.on('close', () => clearInterval(timer))
}

const behaviours = [
  () => {},
  socket => drip(socket, `${head}X-A: ${'b'.repeat(1000)}`),
  socket => {
    socket.write(`${head}Content-Length: 10737418240\r\n\r\n`)
    drip(socket, 'x')
  },
  socket => {
    socket.write(`${head}\r\n`)
    pour(socket, Buffer.alloc(16_384, 'x'))
  },
  socket => pour(socket, 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(500)),
  socket => socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`),
  socket => socket.resetAndDestroy(),
  socket => socket.write(`${head}X-Long: ${'a'.repeat(100_000)}\r\n\r\n`),
]

function hostileServer(behave) {
  return createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.resume()
      behave(socket)
    })
  })
}

function healthyServer() {
  return createHttpServer((request, response) => request.resume().on('end', () => response.end('ok')))
}

const [kind, count = '1'] = process.argv.slice(2)
const servers = Array.from({ length: Number(count) }, (_, n) =>
  kind === 'healthy' ? healthyServer() : hostileServer(behaviours[n % behaviours.length]),
)
await Promise.all(servers.map(server => new Promise(resolve => server.listen(0, '127.0.0.1', resolve))))
process.send(servers.map(server => server.address().port))
process.on('disconnect', () => process.exit())

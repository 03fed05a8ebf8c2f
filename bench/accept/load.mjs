import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * A thread that keeps `connections` requests in flight for `seconds`, or until it has sent `count`, and counts the
 * responses. It uses HTTP over bare sockets, so that it costs far less than the server it measures.
 */
const { port, path, headers, body, connections, seconds = Infinity, count = Infinity } = workerData
const stats = { answered: 0, wrong: 0, latencies: [] }
const stopAt = performance.now() + seconds * 1000
let open = connections
let serial = 0
const run = process.pid.toString(36) + Date.now().toString(36)
const bodyBytes = Buffer.byteLength(body)
const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${bodyBytes}\r\n${headers}`

for (let i = 0; i < connections; i++) client()

function client() {
  const socket = connect(port, '127.0.0.1').setNoDelay()
  let received = ''
  let began = 0
  const ask = () => {
    began = performance.now()
    socket.write(`${head}idempotency-key: ${run}-${serial++}\r\n\r\n${body}`)
  }
  socket.on('connect', ask)
  socket.on('error', () => socket.destroy())
  socket.on('data', chunk => {
    received += chunk.toString('latin1')
    const end = received.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
    if (received.length < end + 4 + length) return
    if (received.startsWith('HTTP/1.1 202')) stats.answered++
    else stats.wrong++
    if (stats.answered % 16 === 0) stats.latencies.push(performance.now() - began)
    received = ''
    if (serial < count && performance.now() < stopAt) ask()
    else socket.end()
  })
  socket.on('close', () => {
    if (--open === 0) parentPort.postMessage(stats)
  })
}

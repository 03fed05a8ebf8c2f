import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { later, startChild } from '../shared/child.mjs'

/**
 * Measures the slowest `/healthz` response under attacks by unauthenticated clients, compared with the
 * response without them.
 */
const LIMIT_MS = 100
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3)
const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))
const gateway = startChild(new URL('../shared/loop-gateway.mjs', import.meta.url), {
  POSTERN_DATA_DIR: dataDir,
  POSTERN_PORT: '0',
  POSTERN_ROLES: 'api',
  POSTERN_LOG_LEVEL: 'error',
})
const probe = startChild(new URL('health-probe.mjs', import.meta.url))
const { url } = await gateway.ask('start', false)
const port = Number(new URL(url).port)

const POST = 'POST /portal/api/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
const get = path => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
/** Each crowd: what a new connection writes first, and what all write ten times a second. */
const CROWDS = {
  'no clients': { count: 0 },
  'idle connections': { count: 2_000 },
  'slow headers': { count: 500, first: 'GET / HTTP/1.1\r\nHost: x\r\nX: ', drip: 'a' },
  'slow bodies': { count: 500, first: `${POST}Origin: ${url}\r\nContent-Length: 9000\r\n\r\n`, drip: ' ' },
  'opened and reset': { count: 100, first: get('/healthz'), again: true },
  'a thousand requests in one write': { count: 20, first: get('/docs').repeat(1_000), again: true },
  'large headers': { count: 20, first: `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(100_000)}`, again: true },
  'bytes of TLS': {
    count: 20,
    first: Buffer.concat([Buffer.from('160301', 'hex'), Buffer.alloc(60_000, 9)]),
    again: true,
  },
  'bodies without a key': {
    count: 20,
    first: `${POST}Content-Length: 1000000\r\n\r\n${' '.repeat(900_000)}`,
    again: true,
  },
}

let worst = 0
for (const [name, crowd] of Object.entries(CROWDS)) {
  const stop = await openCrowd(crowd)
  const longest = await probe.ask('ask', { url, ms: SECONDS * 1_000 })
  stop()
  worst = Math.max(worst, longest)
  console.log(`${longest.toFixed(1).padStart(7)} ms  ${name}`)
  await later(300)
}
console.log(`the longest: ${worst.toFixed(1)} ms (at most ${LIMIT_MS}): ${worst <= LIMIT_MS ? 'passed' : 'FAILED'}`)
await Promise.all([gateway.stop(), probe.stop()])
rmSync(dataDir, { recursive: true, force: true })
process.exit(worst <= LIMIT_MS ? 0 : 1)

async function openCrowd({ count, first, drip, again }) {
  const sockets = new Set()
  const open = () => {
    const socket = connect(port, '127.0.0.1', () => first !== undefined && socket.write(first))
    socket
      .on('error', () => {})
      .on('close', () => sockets.delete(socket))
      .resume()
    sockets.add(socket)
  }
  for (let i = 0; i < count; i++) open()
  const timer = setInterval(() => {
    if (drip !== undefined) for (const socket of sockets) socket.write(drip)
    if (again !== true) return
    for (const socket of sockets) socket.resetAndDestroy()
    for (let i = 0; i < count; i++) open()
  }, 100)
  await later(500)
  return () => {
    clearInterval(timer)
    for (const socket of sockets) socket.destroy()
  }
}

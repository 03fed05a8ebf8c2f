import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../shared/child.mjs'
import { customers, strangers } from './shapes.mjs'

/**
 * Measures how long one request of the worst known shapes blocks the event loop of the gateway, compared with the same
 * bytes at a bare server that reads and parses them. Takes the median of several runs of each shape.
 * `npm run bench -- loop [part of a name]`
 */
const TIMES = Number(process.env.BENCH_ROUNDS ?? 3)
const LIMIT_MS = 20
const only = process.argv[2] ?? ''
const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))
const gateway = startChild(new URL('../shared/loop-gateway.mjs', import.meta.url), {
  POSTERN_DATA_DIR: dataDir,
  POSTERN_PORT: '0',
  POSTERN_ROLES: 'api',
  POSTERN_LOG_LEVEL: 'error',
})
const bare = startChild(new URL('../shared/loop-gateway.mjs', import.meta.url))
const [target, baseline] = [await gateway.ask('start', false), await bare.ask('start', true)]
const shapes = Object.entries({ ...strangers(target), ...customers(target) }).filter(([name]) => name.includes(only))
await hold(gateway, target, Buffer.from('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'))

let worst = 0
for (const [name, bytes] of shapes) {
  const ours = await median(gateway, target, bytes)
  const theirs = await median(bare, baseline, bytes)
  worst = Math.max(worst, ours)
  console.log(
    `${ours > LIMIT_MS ? '!' : ' '} ${ours.toFixed(1).padStart(7)} ms (bare ${theirs.toFixed(1).padStart(6)})  ${name}`,
  )
}
console.log(`the longest: ${worst.toFixed(1)} ms (at most ${LIMIT_MS}): ${worst <= LIMIT_MS ? 'passed' : 'FAILED'}`)
await Promise.all([gateway.stop(), bare.stop()])
rmSync(dataDir, { recursive: true, force: true })
process.exit(worst <= LIMIT_MS ? 0 : 1)

async function median(child, to, bytes) {
  const all = []
  for (let i = 0; i < TIMES; i++) all.push(await hold(child, to, bytes))
  return all.sort((a, b) => a - b)[Math.floor(TIMES / 2)]
}

async function hold(child, { url }, bytes) {
  await child.ask('begin')
  await write(url, bytes)
  return await child.ask('end')
}

/** Writes all bytes in one call; resolves when the other side has closed or sent nothing for a while. */
function write(url, bytes) {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname)
    socket.setTimeout(60, () => socket.destroy())
    socket.on('data', () => {})
    socket.on('error', () => {})
    socket.on('close', resolve)
    socket.write(bytes)
  })
}

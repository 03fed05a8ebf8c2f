import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../shared/child.mjs'
import { sandboxNumbers } from '../shared/contacts.mjs'
import { reportFigure } from '../shared/report-figure.mjs'

/**
 * Measures how long all numbers of a gateway take to reconnect after a restart, from the start of the process to the last
 * login, on the simulated network. Exits with 1 if that takes longer than the limit.
 *
 * `npm run bench -- restart`; BENCH_NUMBERS and BENCH_ROUNDS make it shorter.
 */
const NUMBERS = Number(process.env.BENCH_NUMBERS ?? 1_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const MUST_MS = 60_000
const PAIRED_AT_ONCE = 100

const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))
const network = startChild(new URL('../shared/sandbox-network.mjs', import.meta.url))
const address = await network.ask('open', {})
let gateway = startGateway()
await gateway.ask('findNetwork', address)
await gateway.ask('register')
// The network pairs the next numbers while the gateway adopts the previous ones.
let pairing = pair(0)
for (let first = 0; first < NUMBERS; first += PAIRED_AT_ONCE) {
  const devices = await pairing
  pairing = pair(first + PAIRED_AT_ONCE)
  await gateway.ask('adopt', { devices })
  console.log(`${first + devices.length} of ${NUMBERS} numbers paired`)
}
await gateway.ask('untilConnected', NUMBERS)

const took = []
for (let round = 1; round <= ROUNDS; round++) {
  await gateway.stop()
  const began = performance.now()
  gateway = startGateway()
  await gateway.ask('untilConnected', NUMBERS)
  took.push(performance.now() - began)
  console.log(`round ${round}: ${NUMBERS} numbers linked ${inSeconds(took.at(-1))} after the start of the process`)
}
const median = took.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]
console.log(`restart with ${NUMBERS} numbers, median of ${ROUNDS}: ${inSeconds(median)} (must ${inSeconds(MUST_MS)})`)
if (NUMBERS === 1_000) reportFigure('restart', median / 1000)
await gateway.stop()
await network.stop()
rmSync(dataDir, { recursive: true, force: true })
process.exit(median <= MUST_MS ? 0 : 1)

async function pair(first) {
  const numbers = sandboxNumbers(1, Math.min(NUMBERS, first + PAIRED_AT_ONCE)).slice(first)
  return numbers.length === 0 ? [] : await network.ask('pair', numbers)
}

function startGateway() {
  return startChild(new URL('../shared/sandbox-gateway.mjs', import.meta.url), {
    POSTERN_DATA_DIR: dataDir,
    POSTERN_PORT: '0',
    POSTERN_ROLES: 'api,worker,dispatcher',
    POSTERN_SANDBOX: 'on',
  })
}

function inSeconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`
}

import { fork } from 'node:child_process'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { requestedFeature, costOf, startCollector } from '../shared/feature-cost.mjs'
import { later } from '../shared/child.mjs'
import { startPostgres } from '../shared/postgres.mjs'
import { requestedRows, storeMany } from '../shared/stored-rows.mjs'
import { reportFigure } from '../shared/report-figure.mjs'

/**
 * Measures how many messages a second the gateway accepts durably (202 after fsync), compared with a bare Fastify server:
 * 64 connections, a fresh Idempotency-Key for each request, alternating in one run. Prints the medians and their ratio.
 * `--postgres` uses a separate PostgreSQL instead of the embedded database. `--stored 1000000` also measures a second
 * gateway with that many messages and parked deliveries in its database. `--beside traces` also measures a second gateway
 * that exports its spans. `--beside api-log` measures the cost of the API log at the end, by switching it on and off in
 * one gateway: two processes differ by more than that cost.
 */
const CONNECTIONS = 64
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const here = new URL('.', import.meta.url).pathname
const postgres = process.argv.includes('--postgres') ? await startPostgres() : undefined
const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))

const STORED = requestedRows()
const bare = await start('bare.mjs')
const startGateway = (folder, databaseUrl, env = {}) =>
  start('gateway.mjs', {
    ...env,
    POSTERN_DATA_DIR: folder,
    POSTERN_PORT: '0',
    POSTERN_ROLES: 'api',
    ...(databaseUrl === null ? {} : { POSTERN_DATABASE_URL: databaseUrl }),
  })
const gateway = await startGateway(dataDir, postgres?.url ?? null)
const full = STORED > 0 ? await startFull() : undefined
const BESIDE = requestedFeature('api-log', 'traces')
const beside = BESIDE === 'traces' ? await startBeside(await startCollector()) : undefined
const body = JSON.stringify({ session_id: '999100200300@s.whatsapp.net', to: '15551234567', text: 'x'.repeat(200) })
const rates = { bare: [], gateway: [], full: [], beside: [] }
// Warm-up: the first requests compile code.
for (const server of [bare, gateway, full, beside]) if (server !== undefined) await load(server)
for (let round = 0; round < ROUNDS; round++) {
  rates.bare.push(await load(bare))
  // Alternate the order between rounds.
  if (beside !== undefined && round % 2 === 1) rates.beside.push(await load(beside))
  rates.gateway.push(await load(gateway))
  if (beside !== undefined && round % 2 === 0) rates.beside.push(await load(beside))
  if (full !== undefined) rates.full.push(await load(full))
  const measured = Object.entries(rates).filter(([, all]) => all.length > 0)
  console.log(`round ${round + 1}: ${measured.map(([name, all]) => `${name} ${describe(all.at(-1))}`).join('   ')}`)
}
const [bareRate, gatewayRate] = [median(rates.bare), median(rates.gateway)]
console.log(
  `median: bare ${Math.round(bareRate)}/s, gateway ${Math.round(gatewayRate)}/s, ratio ${(gatewayRate / bareRate).toFixed(2)} (${postgres === undefined ? 'embedded' : 'PostgreSQL'})`,
)
const engine = postgres === undefined ? 'embedded' : 'postgres'
if (full !== undefined) {
  const stored = median(rates.full) / gatewayRate
  console.log(`with ${STORED} stored / when empty: ${stored.toFixed(2)}`)
  if (STORED === 1_000_000) reportFigure(`stored-accept-${engine}`, stored)
  full.child.send('stop')
  await new Promise(resolve => full.child.once('exit', resolve))
  rmSync(full.dataDir, { recursive: true, force: true })
}
if (BESIDE === 'api-log') await measureLog()
if (beside !== undefined) {
  console.log(costOf(BESIDE, rates.gateway, rates.beside).words)
  beside.child.send('stop')
  await new Promise(resolve => beside.child.once('exit', resolve))
  beside.stop()
  rmSync(beside.dataDir, { recursive: true, force: true })
}
reportFigure(
  `accept-${engine}`,
  gatewayRate / bareRate,
  rates.gateway.map(({ rate }, round) => rate / rates.bare[round].rate),
)
gateway.child.send('stop')
bare.child.kill()
gateway.child.once('exit', async () => {
  rmSync(dataDir, { recursive: true, force: true })
  await postgres?.stop()
})

async function startFull() {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const databaseUrl = postgres === undefined ? null : await postgres.createDatabase()
  const started = await startGateway(folder, databaseUrl)
  await storeMany({ databaseUrl, dataDir: folder }, STORED)
  return { ...started, dataDir: folder }
}

async function startBeside({ env, stop }) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const databaseUrl = postgres === undefined ? null : await postgres.createDatabase()
  return { ...(await startGateway(folder, databaseUrl, env)), dataDir: folder, stop }
}

/** The gateway writes the log within a second: the round includes that time. */
async function loadLogged(word) {
  gateway.child.send(word)
  const before = await cpuOf(gateway)
  const { answered, rate } = await loadOnce(gateway)
  await later(1_500)
  return { rate, cpuMicros: ((await cpuOf(gateway)) - before) / answered }
}

async function measureLog() {
  const rounds = { logged: [], unlogged: [] }
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const words = round % 2 === 0 ? ['logged', 'unlogged'] : ['unlogged', 'logged']
    for (const word of words) rounds[word].push(await loadLogged(word))
  }
  const { cpu, words } = costOf(BESIDE, rounds.logged, rounds.unlogged)
  console.log(words)
  reportFigure(`api-log-${engine}`, cpu)
}

/** Processor time of a gateway, over all its threads, in microseconds. */
function cpuOf({ child, key }) {
  if (key === undefined) return undefined
  return new Promise(resolve => {
    child.once('message', ({ user, system }) => resolve(user + system))
    child.send('cpu')
  })
}

function start(script, env = {}) {
  return new Promise((resolve, reject) => {
    const child = fork(join(here, script), {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    child.stdout.pipe(createWriteStream('/dev/null'))
    child.once('message', message => resolve({ child, ...message }))
    child.once('exit', code => reject(new Error(`${script} ended with ${code}`)))
  })
}

async function load(server) {
  const before = await cpuOf(server)
  const { answered, ...loaded } = await loadOnce(server)
  return { ...loaded, cpuMicros: before === undefined ? undefined : ((await cpuOf(server)) - before) / answered }
}

function loadOnce(server) {
  return new Promise((resolve, reject) => {
    const thread = new Worker(join(here, 'load.mjs'), {
      workerData: {
        port: server.port,
        path: '/v1/messages',
        headers: `authorization: Bearer ${server.key ?? 'ptn_none'}\r\n`,
        body,
        connections: CONNECTIONS,
        seconds: SECONDS,
      },
    })
    thread.once('message', ({ answered, wrong, latencies }) => {
      latencies.sort((a, b) => a - b)
      resolve({ answered, rate: answered / SECONDS, wrong, p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0 })
    })
    thread.once('error', reject)
  })
}

function describe({ rate, wrong, p99, cpuMicros }) {
  const cpu = cpuMicros === undefined ? '' : ` ${Math.round(cpuMicros)} µs of CPU each`
  return `${Math.round(rate)}/s p99 ${p99.toFixed(1)} ms${cpu}${wrong > 0 ? ` (${wrong} WRONG)` : ''}`
}

function median(rounds) {
  const sorted = rounds.map(round => round.rate).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requestedFeature, costOf, startCollector } from '../shared/feature-cost.mjs'
import { quantile } from '../shared/child.mjs'
import { measureLarge } from './large.mjs'
import { askPart, startPart, stopPart } from '../shared/part.mjs'
import { startPostgres } from '../shared/postgres.mjs'
import { requestedRows, storeMany } from '../shared/stored-rows.mjs'
import { reportFigure } from '../shared/report-figure.mjs'

/**
 * Measures how many signed deliveries of 1 KB a second the gateway makes durably to 100 endpoints, compared with bare
 * undici pools that sign and post, alternating in one run; then how long a commit takes to become a request at half
 * of that load. `flow` also publishes each event; `drain` delivers stored events. `--postgres`, `--stored`
 * and `--beside traces` as with accept. `--endpoints 10` also measures what an event of one number costs with its webhook
 * alone, and with so many endpoints in its place.
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
/** The first rounds compile code, and read stored rows from the disk. */
const WARM_UP = 2
const DRAIN = Number(process.env.BENCH_DRAIN ?? 10_000)
const postgres = process.argv.includes('--postgres') ? await startPostgres() : undefined
const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))

const receiver = await startPart(new URL('receiver.mjs', import.meta.url))
const { ports } = receiver.first
const bare = await startPart(new URL('bare.mjs', import.meta.url))
const gateway = await startGateway(dataDir, postgres?.url ?? null)
const STORED = requestedRows()
const full = STORED > 0 ? await startFull() : undefined

const BESIDE = requestedFeature('traces')
const beside = BESIDE === undefined ? undefined : await startBeside(await startCollector())

const ENDPOINTS = requestedEndpoints()

const rates = {
  bare: [],
  flow: [],
  drain: [],
  ...(full === undefined ? {} : { full: [] }),
  ...(beside === undefined ? {} : { beside: [] }),
  ...(ENDPOINTS === 0 ? {} : { webhook: [], endpoints: [] }),
}
for (let round = -WARM_UP; round < ROUNDS; round++) {
  if (round === 0) for (const name of Object.keys(rates)) rates[name] = []
  rates.bare.push(await askPart(bare, { ports, seconds: SECONDS }))
  // Alternate the order between rounds.
  if (beside !== undefined && round % 2 !== 0) rates.beside.push(await askPart(beside, { flow: SECONDS }))
  rates.flow.push(await askPart(gateway, { flow: SECONDS }))
  if (beside !== undefined && round % 2 === 0) rates.beside.push(await askPart(beside, { flow: SECONDS }))
  rates.drain.push(await askPart(gateway, { drain: DRAIN }))
  if (ENDPOINTS > 0) {
    rates.webhook.push(await askPart(gateway, { fan: { seconds: SECONDS, endpoints: 0 } }))
    rates.endpoints.push(await askPart(gateway, { fan: { seconds: SECONDS, endpoints: ENDPOINTS } }))
  }
  if (full !== undefined) rates.full.push(await askPart(full, { flow: SECONDS }))
  console.log(
    `${round < 0 ? 'warm-up' : `round ${round + 1}`}: ${Object.entries(rates)
      .map(
        ([name, all]) =>
          `${name} ${Math.round(all.at(-1).rate)}/s (${Math.round(all.at(-1).cpuMicros)} µs of CPU each)`,
      )
      .join('   ')}`,
  )
}
const medians = Object.fromEntries(
  Object.entries(rates).map(([name, all]) => [
    name,
    quantile(
      all.map(each => each.rate),
      0.5,
    ),
  ]),
)
const ratio = name => (medians[name] / medians.bare).toFixed(2)
console.log(
  `median (${postgres === undefined ? 'embedded' : 'PostgreSQL'}): bare ${Math.round(medians.bare)}/s, ` +
    `flow ${Math.round(medians.flow)}/s ratio ${ratio('flow')}, drain ${Math.round(medians.drain)}/s ratio ${ratio('drain')}`,
)

const engine = postgres === undefined ? 'embedded' : 'postgres'
if (full !== undefined) {
  const stored = medians.full / medians.flow
  console.log(`flow with ${STORED} stored / when empty: ${stored.toFixed(2)}`)
  if (STORED === 1_000_000) reportFigure(`stored-deliver-${engine}`, stored)
  await stopPart(full)
  rmSync(full.dataDir, { recursive: true, force: true })
}

if (beside !== undefined) {
  console.log(costOf(BESIDE, rates.flow, rates.beside).words)
  await stopPart(beside)
  beside.stop()
  rmSync(beside.dataDir, { recursive: true, force: true })
}

if (ENDPOINTS > 0) {
  const [bareCost, webhook, event] = ['bare', 'webhook', 'endpoints'].map(medianCost)
  console.log(
    `processor time: bare ${bareCost} µs; one webhook alone ${webhook} µs per event; ${ENDPOINTS} endpoints ${event} µs per event, ` +
      `${Math.round(event / ENDPOINTS)} µs per delivery (${(event / ENDPOINTS / webhook).toFixed(2)} of the webhook's)`,
  )
}

receiver.child.send('watch')
const half = Math.round(medians.flow / 2)
const { commits } = await askPart(gateway, { steady: half, seconds: 5 })
const { arrivals } = await askPart(receiver, 'arrivals')
const arrivedAt = new Map(arrivals)
const waits = commits.map(([id, at]) => Math.max(0, arrivedAt.get(id) - at))
console.log(
  `commit to request at ${half}/s: p50 ${quantile(waits, 0.5).toFixed(1)} ms, p99 ${quantile(waits, 0.99).toFixed(1)} ms, ` +
    `max ${quantile(waits, 1).toFixed(1)} ms (${waits.length} deliveries)`,
)
reportFigure(
  `deliver-${engine}`,
  medians.flow / medians.bare,
  rates.flow.map(({ rate }, round) => rate / rates.bare[round].rate),
)
reportFigure(`latency-${engine}`, quantile(waits, 0.99))

await stopPart(gateway)
bare.child.kill()
receiver.child.kill()
rmSync(dataDir, { recursive: true, force: true })
console.log(await measureLarge(postgres === undefined ? undefined : await postgres.createDatabase()))
await postgres?.stop()

function medianCost(name) {
  return Math.round(
    quantile(
      rates[name].map(({ cpuMicros }) => cpuMicros),
      0.5,
    ),
  )
}

/** The number after `--endpoints`; 0 without it. */
function requestedEndpoints() {
  const at = process.argv.indexOf('--endpoints')
  return at < 0 ? 0 : Number(process.argv[at + 1])
}

async function startGateway(folder, databaseUrl, env = {}) {
  const started = await startPart(new URL('gateway.mjs', import.meta.url), {
    POSTERN_DATA_DIR: folder,
    POSTERN_ROLES: 'dispatcher',
    POSTERN_LOG_LEVEL: 'warn',
    ...env,
    ...(databaseUrl === null ? {} : { POSTERN_DATABASE_URL: databaseUrl }),
  })
  await askPart(started, { ports })
  return started
}

async function startBeside({ env, stop }) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const databaseUrl = postgres === undefined ? null : await postgres.createDatabase()
  return { ...(await startGateway(folder, databaseUrl, env)), dataDir: folder, stop }
}

async function startFull() {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const databaseUrl = postgres === undefined ? null : await postgres.createDatabase()
  const started = await startGateway(folder, databaseUrl)
  await storeMany({ databaseUrl, dataDir: folder }, STORED)
  return { ...started, dataDir: folder }
}

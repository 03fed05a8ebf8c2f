import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { readConfig } from '../../dist/config.js'
import { startGateway } from '../../dist/gateway.js'
import { later, startChild } from '../shared/child.mjs'
import { startPostgres } from '../shared/postgres.mjs'
import { buildCell } from './build.mjs'
import { Meters, perSecond } from './meters.mjs'
import { helpIfAsked } from '../../scripts/shared/help.mjs'

/**
 * Measures a cell of twenty nodes on one PostgreSQL: 5,000 accounts, 20,000 numbers, 10 million messages and a million parked
 * deliveries, or a share of that (`--share 0.1`), with a stub network. It measures the work of the database per
 * second while idle and under load, and extrapolates to the full size: see `docs/scale.md`.
 *
 *   npm run scale -- --share 0.1    --nodes (20), --processes (4), --seconds (30), --rate (50 messages a second each way)
 */
helpIfAsked(import.meta.url)
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? fallback : Number(process.argv[at + 1])
}
const SHARE = option('share', 0.1)
const NODES = option('nodes', 20)
const PROCESSES = option('processes', 4)
const SECONDS = option('seconds', 30)
/** Messages a second in each direction. */
const RATE = option('rate', 50)
const size = whole => Math.max(1, Math.round(whole * SHARE))
const MOST_MS = 600_000
const CELL = { accounts: size(5_000), numbers: size(20_000), messages: size(10_000_000), parked: size(1_000_000) }

const log = line => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`)
const server = await startPostgres()
const client = new pg.Client({ connectionString: server.url })
client.on('error', () => {})
await client.connect()
await client.query("alter system set shared_preload_libraries = 'pg_stat_statements'")
await client.query('alter system set max_connections = 600')
await client.query("alter system set shared_buffers = '512MB'")
await client.query("alter system set max_wal_size = '4GB'")
await client.end().catch(() => {})
await server.restart()

const receiver = createServer((asked, answer) => {
  asked.resume().on('end', () => answer.end('ok'))
}).listen(0, '127.0.0.1')
const dataDir = mkdtempSync(join(tmpdir(), 'postern-scale-'))
const env = {
  POSTERN_DATABASE_URL: server.url,
  POSTERN_DATA_DIR: dataDir,
  POSTERN_SECRET_KEY: randomBytes(32).toString('base64'),
  POSTERN_LOG_LEVEL: 'error',
  POSTERN_PORT: '0',
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('POSTERN_'))),
}
const api = await startGateway(readConfig({ ...process.env, ...env, POSTERN_ROLES: 'api' }))
const filling = new pg.Client({ connectionString: server.url })
await filling.connect()
const accounts = await buildCell(
  api.context,
  CELL,
  `http://127.0.0.1:${receiver.address().port}/hook`,
  sql => filling.query(sql),
  log,
)
await filling.end()
const meters = await Meters.open(server.url)

const children = Array.from({ length: PROCESSES }, () => startChild(new URL('nodes.mjs', import.meta.url), env))
const held = async () => (await Promise.all(children.map(child => child.ask('open')))).reduce((a, b) => a + b, 0)
const countOf = i => Math.ceil((NODES - i) / PROCESSES)
const allLinked = async () => (await held()) >= CELL.numbers
const linkedSeconds = await secondsUntil(allLinked, () => children[0].ask('start', { count: 1 }))
log(`${await held()} of ${CELL.numbers} numbers are linked by one node after ${linkedSeconds.toFixed(0)} s`)
const rebalancedSeconds = await secondsUntil(
  async () => (await isSpread()) && (await allLinked()),
  () => Promise.all(children.map((child, i) => child.ask('start', { count: countOf(i) - (i === 0 ? 1 : 0) }))),
)
log(`${await held()} are linked and spread over ${NODES} nodes ${rebalancedSeconds.toFixed(0)} s after the others came`)
await later(10_000)

const idle = await measured(() => later(SECONDS * 1_000))
log(`idle: ${describe(idle.rates)}`)
const loaded = await measured(load)
log(`${loaded.result.sent} sent, ${loaded.result.received} received: ${describe(loaded.rates)}`)
const report = {
  cell: CELL,
  share: SHARE,
  nodes: NODES,
  linkedSeconds,
  rebalancedSeconds,
  idle: idle.rates,
  loaded: loaded.rates,
  rate: loaded.result,
  busiestIdle: idle.busiest,
  busiest: loaded.busiest,
  hot: await meters.shares(),
}
console.log(JSON.stringify(report, null, 2))
writeFileSync(join(tmpdir(), 'postern-scale.json'), JSON.stringify(report, null, 2))
await Promise.all(children.map(child => child.stop()))
await api.stop()
await meters.close()
receiver.close()
receiver.closeAllConnections()
rmSync(dataDir, { recursive: true, force: true })
await server.stop()
process.exit(0)

/** The seconds from a change until its effect, or until a timeout. */
async function secondsUntil(isSo, change) {
  const beganMs = performance.now()
  await change()
  while (!(await isSo()) && performance.now() - beganMs < MOST_MS) await later(500)
  return (performance.now() - beganMs) / 1_000
}

/** No node has more than its share, rounded up. */
async function isSpread() {
  const rows = await meters.ask(`select leases from holders where pool = 'whatsapp'`)
  return rows.length === NODES && rows.every(({ leases }) => Number(leases) <= Math.ceil(CELL.numbers / NODES) + 1)
}

async function measured(work) {
  await meters.forget()
  const before = await meters.read()
  const result = await work()
  // PostgreSQL reports the counters of a connection within a second.
  await later(2_000)
  const after = await meters.read()
  return { rates: perSecond(before, after), busiest: await meters.busiest(12), result }
}

function describe({ statements, commits, writes, hot, walKb, cpu }) {
  return `${statements.toFixed(0)} statements, ${commits.toFixed(0)} commits, ${writes.toFixed(0)} row writes (${(hot * 100).toFixed(0)} % of updates HOT), ${walKb.toFixed(0)} KB of WAL and ${cpu.toFixed(2)} s of CPU a second`
}

async function load() {
  const receiving = children.map(child => child.ask('receive', { rate: RATE / PROCESSES, seconds: SECONDS }))
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const began = performance.now()
  const sending = []
  while (performance.now() - began < SECONDS * 1_000) {
    const due = ((performance.now() - began) / 1_000) * RATE
    while (sending.length < due) sending.push(send(agent, accounts[sending.length % accounts.length], sending.length))
    await later(5)
  }
  const answers = await Promise.all(sending)
  const received = (await Promise.all(receiving)).reduce((a, b) => a + b, 0)
  agent.destroy()
  return { sent: answers.filter(status => status === 202).length, received, seconds: SECONDS }
}

function send(agent, { key, numbers }, n) {
  const body = JSON.stringify({ session_id: numbers[n % numbers.length], to: '15551234567', text: 'x'.repeat(200) })
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': `scale-${n}`,
  }
  return new Promise(resolve => {
    const asked = request(`${api.localUrl}/v1/messages`, { method: 'POST', agent, headers }, answer => {
      answer.resume().on('end', () => resolve(answer.statusCode))
    })
    asked.on('error', () => resolve(0))
    asked.end(body)
  })
}

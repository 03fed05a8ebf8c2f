import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { serverCpu } from '../notices/server-cpu.mjs'
import { quantile } from '../shared/child.mjs'
import { askPart, startPart } from '../shared/part.mjs'
import { startPostgres } from '../shared/postgres.mjs'
import { reportFigure } from '../shared/report-figure.mjs'

/**
 * Compares the processor time of the gateway with that of the least that does the same durably: for each accepted
 * message and for each delivery of a stored event, over all threads and the database's processes. Both alternate in one
 * run, do the same number of times the same, and the 20th percentile of each counts, so that other load of the machine
 * changes the result little.
 * `--postgres` uses PostgreSQL; `--only accept` or `--only deliver` measures one of the two.
 */
const SLICES = Number(process.env.BENCH_SLICES ?? 10)
const ACCEPTS = Number(process.env.BENCH_ACCEPTS ?? 5_000)
const DELIVERIES = Number(process.env.BENCH_DRAIN ?? 5_000)
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : undefined
const isPostgres = process.argv.includes('--postgres')
const engine = isPostgres ? 'postgres' : 'embedded'
const body = JSON.stringify({ session_id: '999100200300@s.whatsapp.net', to: '15551234567', text: 'x'.repeat(200) })

if (only !== 'deliver') await compare('accept', acceptSlices)
if (only !== 'accept') await compare('deliver', deliverSlices)

async function compare(name, startSlices) {
  const places = { floor: await newPlace(), gateway: await newPlace() }
  const slices = await startSlices(places)
  const spent = { floor: [], gateway: [] }
  // The first slices compile code.
  for (let i = -2; i < SLICES; i++) {
    for (const side of i % 2 === 0 ? ['floor', 'gateway'] : ['gateway', 'floor']) {
      const before = await places[side].serverMicros()
      const { count, cpuMicros } = await slices[side]()
      const server = ((await places[side].serverMicros()) - before) / count
      if (i >= 0) spent[side].push({ process: cpuMicros, server })
    }
  }
  const [floor, gateway] = [lowFifth(spent.floor), lowFifth(spent.gateway)]
  const ratio = gateway.all / floor.all
  console.log(`${name} (${engine}): floor ${describe(floor)}, gateway ${describe(gateway)}: ${ratio.toFixed(2)} times`)
  reportFigure(`floor-${name}-${engine}`, ratio)
  await slices.stop()
  for (const place of Object.values(places)) await place.remove()
}

function describe({ process, server }) {
  return `${Math.round(process)}${isPostgres ? ` + ${Math.round(server)}` : ''} µs`
}

function lowFifth(slices) {
  const ranked = slices.map(each => ({ ...each, all: each.process + each.server }))
  const limit = quantile(
    ranked.map(({ all }) => all),
    0.2,
  )
  return ranked.find(({ all }) => all === limit)
}

/** A separate database for each side; a separate server, too, so that its processor time is known. */
async function newPlace() {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const postgres = isPostgres ? await startPostgres() : undefined
  const client = postgres && new pg.Client({ connectionString: postgres.url })
  await client?.connect()
  return {
    env: { POSTERN_DATA_DIR: dataDir, ...(postgres && { POSTERN_DATABASE_URL: postgres.url }) },
    serverMicros: async () => (client === undefined ? 0 : (await serverCpu(client)) * 1e6),
    remove: async () => {
      await client?.end()
      await postgres?.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function acceptSlices({ floor, gateway }) {
  const least = await startPart(new URL('accept-server.mjs', import.meta.url), floor.env)
  const shipped = await startPart(new URL('../accept/gateway.mjs', import.meta.url), {
    ...gateway.env,
    POSTERN_PORT: '0',
    POSTERN_ROLES: 'api',
  })
  const slice = part => async () => {
    const before = await askPart(part, 'cpu')
    const answered = await load(part.first)
    const after = await askPart(part, 'cpu')
    return { count: answered, cpuMicros: (after.user - before.user + after.system - before.system) / answered }
  }
  return { floor: slice(least), gateway: slice(shipped), stop: () => stopAll(least, shipped) }
}

function load({ port, key }) {
  return new Promise((resolve, reject) => {
    const headers = `authorization: Bearer ${key}\r\n`
    const thread = new Worker(new URL('../accept/load.mjs', import.meta.url), {
      workerData: { port, path: '/v1/messages', headers, body, connections: 64, count: ACCEPTS },
    })
    thread.once('message', ({ answered, wrong }) =>
      wrong === 0 ? resolve(answered) : reject(new Error(`${wrong} wrong answers`)),
    )
    thread.once('error', reject)
  })
}

async function deliverSlices({ floor, gateway }) {
  const receiver = await startPart(new URL('../deliver/receiver.mjs', import.meta.url))
  const least = await startPart(new URL('deliver-rows.mjs', import.meta.url), floor.env)
  const shipped = await startPart(new URL('../deliver/gateway.mjs', import.meta.url), {
    ...gateway.env,
    POSTERN_ROLES: 'dispatcher',
    POSTERN_LOG_LEVEL: 'warn',
  })
  for (const part of [least, shipped]) await askPart(part, receiver.first)
  const slice = part => async () => ({ count: DELIVERIES, ...(await askPart(part, { drain: DELIVERIES })) })
  return { floor: slice(least), gateway: slice(shipped), stop: () => stopAll(least, shipped, receiver) }
}

async function stopAll(...parts) {
  for (const { child } of parts) {
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill()
    await ended
  }
}

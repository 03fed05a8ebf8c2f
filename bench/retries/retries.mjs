import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { later, quantile, startChild } from '../shared/child.mjs'
import { startPostgres } from '../shared/postgres.mjs'

/**
 * Two cases of mass retries. Scheduled: many deliveries over 100 endpoints wait for their second attempt, each due
 * at a separate time; none may start early, and 99 of 100 must start within a second. Outage: many wait for one
 * endpoint that failed and is now slow; never more than 32 may be in flight to it,
 * and they must drain at 80 % or more of the rate that 32 in flight allow.
 *
 *   npm run bench -- retries [--events 100000] [--rate 500] [--postgres]
 */
const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    rate: { type: 'string', default: '500' },
    postgres: { type: 'boolean', default: false },
  },
})
const EVENTS = Number(options.events)
const RATE = Number(options.rate)
const ENDPOINTS = 100
const LIMIT = 32
const ANSWER_MS = 50
const MAX_LATE_MS = 1_000
const postgres = options.postgres ? await startPostgres() : undefined
const passed = [await scheduled(), await outage()].every(Boolean)
await postgres?.stop()
process.exit(passed ? 0 : 1)

/** A dispatcher on an empty database, and endpoints in a separate process. */
async function open() {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const receiver = startChild(new URL('receiver.mjs', import.meta.url))
  const gateway = startChild(new URL('gateway.mjs', import.meta.url), {
    POSTERN_DATA_DIR: dataDir,
    POSTERN_ROLES: 'dispatcher',
    POSTERN_LOG_LEVEL: 'error',
    ...(postgres === undefined ? {} : { POSTERN_DATABASE_URL: await postgres.createDatabase() }),
  })
  const close = async () => {
    await gateway.stop()
    await receiver.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { receiver, gateway, close }
}

async function scheduled() {
  const { receiver, gateway, close } = await open()
  const port = await receiver.ask('listen')
  await gateway.ask('subscribe', { port, endpoints: ENDPOINTS })
  await gateway.ask('publish', EVENTS)
  const overMs = (EVENTS / RATE) * 1000
  await gateway.ask('schedule', { inMs: 5_000, overMs })
  await gateway.ask('dispatch')
  const late = await gateway.ask('finish', { share: 1, timeoutMs: overMs + 120_000 })
  await close()
  const early = late.filter(ms => ms < 0).length
  const [p50, p99, max] = [0.5, 0.99, 1].map(share => quantile(late, share))
  const ok = late.length === EVENTS && early === 0 && p99 <= MAX_LATE_MS
  console.log(
    `scheduled (${kind()}): ${late.length} of ${EVENTS} retries, ${RATE} due a second: ${early} early (0), ` +
      `p50 ${p50} ms late, p99 ${p99} ms (at most ${MAX_LATE_MS}), max ${max} ms: ${verdict(ok)}`,
  )
  return ok
}

async function outage() {
  const { receiver, gateway, close } = await open()
  const port = await receiver.ask('listen')
  await receiver.ask('behave', { status: 503, afterMs: ANSWER_MS })
  await gateway.ask('subscribe', { port, endpoints: 1 })
  await gateway.ask('dispatch')
  await gateway.ask('publish', EVENTS)
  await receiver.ask('behave', { status: 200, afterMs: ANSWER_MS })
  const began = performance.now()
  const allowed = (LIMIT / ANSWER_MS) * 1000
  const timeoutMs = (EVENTS / allowed) * 3_000 + 60_000
  // Deliveries that were attempted during the outage are due later, whatever the speed.
  await gateway.ask('finish', { share: 0.95, timeoutMs })
  const rate = (EVENTS * 0.95 * 1000) / (performance.now() - began)
  await later(100)
  const { most } = await receiver.ask('stats')
  await close()
  const ok = most <= LIMIT && rate >= allowed * 0.8
  console.log(
    `outage (${kind()}): ${EVENTS} waiting for one endpoint that answers in ${ANSWER_MS} ms: ` +
      `${most} in flight at most (${LIMIT}), drained at ${Math.round(rate)}/s, ` +
      `${((rate / allowed) * 100).toFixed(0)} % of the ${allowed}/s that the limit allows (at least 80): ${verdict(ok)}`,
  )
  return ok
}

function kind() {
  return postgres === undefined ? 'embedded' : 'PostgreSQL'
}

function verdict(ok) {
  return ok ? 'passed' : 'FAILED'
}

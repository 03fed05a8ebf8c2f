import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { later, quantile, startChild } from '../shared/child.mjs'
import { startPostgres } from '../shared/postgres.mjs'

/**
 * Measures how much 20 endpoints that never respond slow down 80 healthy ones. Two cases alternate in one
 * run: with 20 more healthy endpoints, and with 20 that hang; the published events are the same. First at full rate, which
 * gives the throughput of the 80, then at a steady rate, which gives how long their commits take to become requests.
 * `--postgres` as with accept.
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 15)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const HEALTHY = 80
const OTHERS = 20
const OTHER_RATE = 100
const postgres = process.argv.includes('--postgres') ? await startPostgres() : undefined
const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))
const silent = createServer(socket => socket.on('error', () => {}).resume())
await new Promise(resolve => silent.listen(0, '127.0.0.1', resolve))
const receiver = startChild(new URL('receiver.mjs', import.meta.url))
const gateway = startChild(new URL('gateway.mjs', import.meta.url), {
  POSTERN_DATA_DIR: dataDir,
  POSTERN_ROLES: 'dispatcher',
  POSTERN_LOG_LEVEL: 'error',
  ...(postgres === undefined ? {} : { POSTERN_DATABASE_URL: postgres.url }),
})
const ports = await receiver.ask('listen', HEALTHY + OTHERS)
const urls = ports.map(port => `http://127.0.0.1:${port}/hook`)
const hanging = Array.from({ length: OTHERS }, (_, i) => `http://127.0.0.1:${silent.address().port}/${i}`)
const webhooks = await gateway.ask('subscribe', urls.slice(0, HEALTHY))

const runs = { answering: [], hanging: [] }
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, otherUrls] of [
    ['answering', urls.slice(HEALTHY)],
    ['hanging', hanging],
  ]) {
    const run = await measure(otherUrls)
    runs[name].push(run)
    console.log(
      `round ${round + 1}, 20 of 100 ${name}: the 80 get ${Math.round(run.rate)}/s; ` +
        `at ${run.load}/s p50 ${run.p50.toFixed(1)} ms, p99 ${run.p99.toFixed(1)} ms, ${run.missing} not delivered in time`,
    )
  }
}
const median = (name, what) =>
  quantile(
    runs[name].map(run => run[what]),
    0.5,
  )
const throughput = median('hanging', 'rate') / median('answering', 'rate')
const latency = median('hanging', 'p99') / median('answering', 'p99')
const passed = throughput >= 0.95 && latency <= 1.2
console.log(
  `20 of 100 endpoints hang (${postgres === undefined ? 'embedded' : 'PostgreSQL'}): the others' throughput is ` +
    `${(throughput * 100).toFixed(0)} % (at least 95), their p99 ${latency.toFixed(2)} times (at most 1.2) ` +
    `what it is without them: ${passed ? 'passed' : 'FAILED'}`,
)
await gateway.stop()
await receiver.stop()
silent.close()
rmSync(dataDir, { recursive: true, force: true })
await postgres?.stop()
process.exit(passed ? 0 : 1)

async function measure(otherUrls) {
  const others = await gateway.ask('subscribe', otherUrls)
  const load = runs.answering[0]?.load
  const rate = await gateway.ask('flow', { webhooks, others, otherRate: OTHER_RATE, seconds: SECONDS })
  const steady = { webhooks, others, rate: load ?? Math.round(rate / 2), otherRate: OTHER_RATE, seconds: SECONDS }
  await receiver.ask('watch')
  const commits = await gateway.ask('steady', steady)
  await later(1_000)
  const arrivedAt = new Map(await receiver.ask('arrivals'))
  const waits = commits.map(([id, at]) => arrivedAt.get(id) - at)
  const arrived = waits.filter(wait => !Number.isNaN(wait)).map(wait => Math.max(0, wait))
  await gateway.ask('settle', others)
  return {
    rate,
    load: steady.rate,
    p50: quantile(arrived, 0.5),
    p99: quantile(arrived, 0.99),
    missing: waits.length - arrived.length,
  }
}

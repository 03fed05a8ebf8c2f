import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quantile } from '../shared/child.mjs'
import { askPart, startPart, stopPart } from '../shared/part.mjs'
import { startPostgres } from '../shared/postgres.mjs'
import { reportFigure } from '../shared/report-figure.mjs'
import { installRivals, RIVALS, startRedis } from './servers.mjs'

/**
 * Compares the gateway with job queues that could do the same job: take an event of 1 KB, make it durable, sign it, post it to one
 * of 100 endpoints, retry if that fails, record the result; published as fast as it is delivered. The rivals are
 * installed into a temporary folder, and tuned as their documentation recommends (see each file). They keep
 * payloads in the clear and promise no order, no isolation of endpoints from each other, and no history; the gateway
 * has all of that. All alternate in one run; the median of the rounds counts.
 *
 * Needs a registry for packages, and the packages `postgresql` and `redis-server` of the system.
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
/** The first rounds compile code. */
const WARM_UP = 2
const DELIVER = new URL('../deliver/', import.meta.url)
const postgres = await startPostgres()
const redis = await startRedis()
const rivals = installRivals()
const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))

const receiver = await startPart(new URL('receiver.mjs', DELIVER))
const { ports } = receiver.first
const bare = await startPart(new URL('bare.mjs', DELIVER))
const parts = {}
const gateway = { POSTERN_ROLES: 'dispatcher', POSTERN_LOG_LEVEL: 'warn' }
parts.embedded = await startPart(new URL('gateway.mjs', DELIVER), { ...gateway, POSTERN_DATA_DIR: dataDir })
parts.PostgreSQL = await startPart(new URL('gateway.mjs', DELIVER), {
  ...gateway,
  POSTERN_DATABASE_URL: await postgres.createDatabase(),
})
for (const name of Object.keys(RIVALS)) {
  parts[name] = await startPart(new URL(`${name}.mjs`, import.meta.url), {
    RIVALS_DIR: rivals.folder,
    RIVALS_DATABASE_URL: await postgres.createDatabase(),
    RIVALS_REDIS_PORT: String(redis.port),
  })
}
for (const part of Object.values(parts)) await askPart(part, { ports })

const rates = {}
for (let round = 1 - WARM_UP; round <= ROUNDS; round++) {
  const measured = { bare: (await askPart(bare, { ports, seconds: SECONDS })).rate }
  for (const [name, part] of Object.entries(parts)) measured[name] = (await askPart(part, { flow: SECONDS })).rate
  if (round < 1) continue
  for (const [name, rate] of Object.entries(measured)) rates[name] = [...(rates[name] ?? []), rate]
  const line = Object.entries(rates).map(([name, all]) => `${name} ${Math.round(all.at(-1))}/s`)
  console.log(`round ${round}: ${line.join('   ')}`)
}
const medians = Object.fromEntries(Object.entries(rates).map(([name, all]) => [name, quantile(all, 0.5)]))
for (const name of Object.keys(RIVALS)) reportFigure(`rival-${name}`, medians.PostgreSQL / medians[name])
for (const [name, rate] of Object.entries(medians)) {
  console.log(
    `${name.padEnd(16)} ${String(Math.round(rate)).padStart(6)}/s   ${(rate / medians.bare).toFixed(2)} of bare`,
  )
}

for (const part of Object.values(parts)) await stopPart(part)
bare.child.kill()
receiver.child.kill()
rivals.remove()
rmSync(dataDir, { recursive: true, force: true })
await redis.stop()
await postgres.stop()

import pg from 'pg'
import { openPostgresStore } from '../../dist/store/postgres/postgres-store.js'
import { later, quantile, startChild } from '../shared/child.mjs'
import { startPostgres } from '../shared/postgres.mjs'
import { serverCpu } from './server-cpu.mjs'

/**
 * Measures what it costs that commits wake other processes. Two processes commit as fast as they can, over eight connections
 * each, while others listen: without notifications, with NOTIFY in each commit on one channel, and with the gateway's own
 * notifications. Each commit is for one of the listeners, which measures its age on arrival. The processor
 * time of the database for each commit is separate: it depends less on other load of the machine.
 */
const LISTENERS = Number(process.argv[2] ?? 40)
const ROUNDS = Number(process.argv[3] ?? 5)
const SECONDS = 4
const WAYS = ['none', 'in the commit', 'after the commit']

const postgres = await startPostgres()
const url = await postgres.createDatabase()
const store = await openPostgresStore({ url })
await store.close()
const client = new pg.Client({ connectionString: url })
await client.connect()
await client.query('create table committed (at bigint not null)')
const owners = Array.from({ length: 64 }, (_, shard) => `node_${shard % LISTENERS}`)
await client.query(
  `insert into leases (kind, id, owner, epoch, changed_at)
   select 'shard', lpad((i - 1)::text, 2, '0'), o, 1, 0 from unnest($1::text[]) with ordinality t(o, i)`,
  [owners],
)

const listening = startChild(new URL('listener.mjs', import.meta.url))
const writers = [0, 1].map(() => startChild(new URL('writer.mjs', import.meta.url)))
const results = new Map(WAYS.map(way => [way, []]))
for (let round = 0; round < ROUNDS; round++) {
  for (const way of WAYS) {
    await listening.ask('listen', { url, way, listeners: LISTENERS })
    await later(500)
    const cpuBefore = await serverCpu(client)
    const counts = await Promise.all(writers.map(writer => writer.ask('write', { url, way, ms: SECONDS * 1_000 })))
    const cpuSeconds = (await serverCpu(client)) - cpuBefore
    const ages = await listening.ask('stop')
    const all = counts.reduce((sum, n) => sum + n, 0)
    const [commits, cpuUs] = [Math.round(all / SECONDS), Math.round((cpuSeconds / all) * 1e6)]
    results.get(way).push({ commits, cpuUs, ages })
    console.error(
      `round ${round + 1}, ${way}: ${commits} commits/s, ${cpuUs} µs of the database each, ${ages.length} received`,
    )
  }
}
await Promise.all([listening, ...writers].map(child => child.stop()))
await client.end()
await postgres.stop()

console.log(`${LISTENERS} listeners, 2 processes with 8 connections each, median of ${ROUNDS} rounds of ${SECONDS} s`)
const base = median(results.get('none').map(({ commits }) => commits))
for (const [way, rounds] of results) {
  const commits = median(rounds.map(each => each.commits))
  const cpuUs = median(rounds.map(each => each.cpuUs))
  const [p50, p99] = [0.5, 0.99].map(share => median(rounds.map(({ ages }) => quantile(ages, share) ?? 0)))
  const received = way === 'none' ? '' : `, received after ${p50} ms (p99 ${p99} ms)`
  const rate = `${way.padEnd(17)} ${String(commits).padStart(6)} commits/s  ${(commits / base).toFixed(2)}`
  console.log(`${rate}, ${cpuUs} µs of the database for each${received}`)
}

function median(values) {
  return quantile(values, 0.5)
}

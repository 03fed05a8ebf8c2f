import { parseArgs } from 'node:util'
import { join } from 'node:path'
import { build } from '../../scripts/build.mjs'
import { balance } from '../chaos/balance.mjs'
import { makeClient } from '../chaos/client.mjs'
import { startCluster } from '../chaos/cluster.mjs'
import { readPhones, signUp, writeAround } from '../chaos/customers.mjs'
import { OPERATOR_TOKEN, readOverview, settings, untilQuiet } from '../chaos/gateways.mjs'
import { Ledger } from '../chaos/ledger.mjs'
import { startReceiver } from '../chaos/receiver.mjs'
import { openRun } from '../chaos/run.mjs'
import { later } from '../shared/child.mjs'
import { runStatement } from '../shared/postgres.mjs'
import { startReplicatedPostgres } from '../shared/replicated-postgres.mjs'
import { buildVersion, oldestCommit } from './versions.mjs'
import { SideBySide } from './side-by-side.mjs'

const HELP = `npm run upgrade-trial -- [--minutes 10] [--numbers 24] [--rate 8] [--passes 4] [--old COMMIT] [--spare TABLES] [--json]

Runs two versions on one PostgreSQL under load. Nine processes start with the old version; one after the other becomes the
new one, then the old one again, and so on. The new version is this working copy with a later
schema: a column in every table, a table, and an index. Every third process is killed instead of terminated.

  --passes   how often all processes change their version; even numbers end with the old one
  --old      the commit of the old version; default: the oldest compatible one with the same schema
  --spare    tables that the later schema does not change, separated by commas
  --logs     keep the logs of the processes in this folder

Exits with 1 if something was lost, doubled at a phone, out of order, delivered to the wrong account, failed, rejected or
abandoned; or if one of the versions sent nothing.`

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    minutes: { type: 'string', default: '10' },
    numbers: { type: 'string', default: '24' },
    rate: { type: 'string', default: '8' },
    passes: { type: 'string', default: '4' },
    old: { type: 'string' },
    spare: { type: 'string', default: '' },
    logs: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
if (options.help) {
  console.log(HELP)
  process.exit(0)
}
const [minutes, count, rate, passes] = ['minutes', 'numbers', 'rate', 'passes'].map(name => Number(options[name]))
const lengthMs = minutes * 60_000
const { log, folder, logs, toEnd, end } = openRun({ name: 'upgrade', lengthMs, logs: options.logs })

await build({ quiet: true })
const database = await startReplicatedPostgres({ synchronous: true })
toEnd.push(() => database.stop())
const commit = options.old ?? oldestCommit()
const oldRoot = buildVersion(join(folder, 'old'), { commit })
log(`the old version is ${commit}`)

const ledger = new Ledger()
const receiver = await startReceiver(ledger)
toEnd.push(async () => receiver.close())
const versions = new SideBySide()
const onLine = (process, line) => versions.noteLine(process, line)
const cluster = await startCluster({ database, env: settings(folder), folder: logs, onLine, root: oldRoot })
toEnd.push(() => cluster.stop())
await cluster.untilUp()
const newRoot = buildVersion(join(folder, 'new'), { later: await laterTables() })
log('the new version is this one with a later schema')
versions.name(oldRoot, 'old').name(newRoot, 'new')

const client = makeClient(cluster.urls)
const numbers = await signUp({ client, operatorToken: OPERATOR_TOKEN, receiver, count, log })
client.statuses.clear()
const writing = new AbortController()
const written = writeAround({ client, numbers, ledger, rate, signal: writing.signal })
await exchange()
writing.abort()
await written
await cluster.untilUp()
await untilQuiet(ledger, log)

const phones = await readPhones(client, numbers)
const found = balance({ ledger, phones, overview: await readOverview(client) })
const wrong = Object.fromEntries(Object.entries(found).map(([name, each]) => [name, each.length]))
const ownEnds = cluster.members.flatMap(({ process }) => process.ownEnds)
const result = {
  passed: Object.values(wrong).every(n => n === 0) && ownEnds.length === 0 && versions.bothSent(),
  old: commit,
  exchanges: versions.exchanges,
  sideBySideS: versions.sideBySideS(),
  sentBy: versions.sentBy(),
  accepted: ledger.accepted().length,
  received: ledger.incoming.size,
  ...wrong,
  endedByThemselves: ownEnds,
  answers: Object.fromEntries([...client.statuses].sort(([a], [b]) => a - b)),
}
if (options.json) console.log(JSON.stringify(result))
else {
  for (const [name, value] of Object.entries(result)) console.log(`${name}: ${JSON.stringify(value)}`)
  for (const [name, each] of Object.entries(found))
    for (const one of each.slice(0, 10)) console.log(`  ${name}: ${one}`)
}
await end(result.passed ? 0 : 1)

/** Replaces one process after the other by the other version, all of them `passes` times. */
async function exchange() {
  const steps = passes * cluster.members.length
  const everyMs = lengthMs / steps
  versions.began(cluster.members.length)
  for (let step = 0; step < steps; step++) {
    const began = performance.now()
    const { process } = cluster.members[step % cluster.members.length]
    const root = process.root === oldRoot ? newRoot : oldRoot
    versions.exchanged(root)
    await process.become(root, { kill: step % 3 === 2 })
    await cluster.untilUp()
    log(
      `${process.name} is ${versions.nameOf(root)}; ${ledger.accepted().length} sent, ${ledger.undelivered().length} events missing`,
    )
    await later(Math.max(0, everyMs - (performance.now() - began)))
  }
  versions.ended()
}

async function laterTables() {
  const rows = await runStatement(database.url(), `select tablename from pg_tables where schemaname = current_schema()`)
  const spared = new Set(['schema_migrations', ...options.spare.split(',')])
  return rows.map(({ tablename }) => tablename).filter(name => !spared.has(name))
}

import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { build } from '../../scripts/build.mjs'
import { startReplicatedPostgres } from '../shared/replicated-postgres.mjs'
import { balance } from './balance.mjs'
import { makeClient } from './client.mjs'
import { startCluster } from './cluster.mjs'
import { readPhones, signUp, writeAround } from './customers.mjs'
import { Faults } from './faults.mjs'
import { OPERATOR_TOKEN, readOverview, settings, untilQuiet } from './gateways.mjs'
import { Ledger } from './ledger.mjs'
import { planFaults } from './plan.mjs'
import { startReceiver } from './receiver.mjs'
import { print, summarize } from './report.mjs'
import { openRun } from './run.mjs'
import { Takeovers } from './takeovers.mjs'

const HELP = `npm run chaos -- [--minutes 10] [--seed N] [--numbers 60] [--rate 10] [--every 2600] [--logs DIR] [--json]

The gateway as nine processes (2 api, 3 worker, 2 dispatcher, 2 simulator) on a PostgreSQL with a synchronous streaming
replica, a relay between each process and the database, and customers whose sandbox numbers send and receive.
During the run the bench kills, pauses and terminates processes, cuts or silences relays, restarts the database, and once
promotes its replica. Then it repairs everything and compares what was promised with what arrived.

  --minutes  how long the bench injects faults
  --seed     the same seed plans the same faults; printed at the start
  --numbers  how many numbers are linked
  --rate     messages a second, each way
  --every    milliseconds between two faults, on average
  --logs     keep the logs of the processes in this folder
  --json     print the result as one line of JSON

Exits with 1 if something was lost, doubled at a phone, out of order, delivered to the wrong account, failed although its
recipient is healthy, rejected, or abandoned; or if fewer than 15 faults a minute happened.`

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    numbers: { type: 'string', default: '60' },
    rate: { type: 'string', default: '10' },
    every: { type: 'string', default: '2600' },
    logs: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const PROGRESS_MS = 10_000

if (options.help) {
  console.log(HELP)
  process.exit(0)
}
const [minutes, seed, count, rate] = ['minutes', 'seed', 'numbers', 'rate'].map(name => Number(options[name]))
const lengthMs = minutes * 60_000
const { log, folder, logs, toEnd, end } = openRun({ name: 'chaos', lengthMs, logs: options.logs })

log(`seed ${seed}: the same with --seed ${seed}`)
await build({ quiet: true })

const database = await startReplicatedPostgres({ synchronous: true })
toEnd.push(() => database.stop())
const ledger = new Ledger()
const receiver = await startReceiver(ledger)
toEnd.push(async () => receiver.close())
const takeovers = new Takeovers()
const cluster = await startCluster({
  database,
  env: settings(folder),
  folder: logs,
  onLine: (process, line) => takeovers.noteLine(process, line),
})
toEnd.push(() => cluster.stop())
await cluster.untilUp()
log('2 api, 3 worker, 2 dispatcher and 2 simulator processes run')
const client = makeClient(cluster.urls)
const numbers = await signUp({ client, operatorToken: OPERATOR_TOKEN, receiver, count, log })
client.statuses.clear()

const plan = planFaults({ seed, lengthMs, everyMs: Number(options.every) })
const faults = new Faults({ cluster, database, log, onDeath: (process, atMs) => takeovers.died(process, atMs) })
const writing = new AbortController()
const written = writeAround({ client, numbers, ledger, rate, signal: writing.signal })
const progress = setInterval(() => log(standing()), PROGRESS_MS)
log(`${plan.length} faults in ${minutes} minutes`)
await faults.run(plan)
log('the last fault is over')
writing.abort()
await written
await cluster.untilUp()
await untilQuiet(ledger, log)
clearInterval(progress)

const phones = await readPhones(client, numbers)
const found = balance({ ledger, phones, overview: await readOverview(client) })
const parts = {
  seed,
  minutes,
  plan,
  faults,
  members: cluster.members,
  ledger,
  phones,
  balance: found,
  takeovers,
  client,
}
const result = summarize(parts)
if (options.json) console.log(JSON.stringify(result))
else print(result, parts)
await end(result.passed ? 0 : 1)

function standing() {
  const last = faults.done.at(-1)
  const latest = last && `; the last: ${last.kind} ${last.member?.process.name ?? 'database'}`
  const [sent, received] = [ledger.accepted().length, ledger.incoming.size]
  return `${faults.done.length} faults, ${sent} sent, ${received} received, ${ledger.undelivered().length} events missing${latest ?? ''}`
}

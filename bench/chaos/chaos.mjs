import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { randomBytes, randomInt } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from '../../scripts/build.mjs'
import { later } from '../shared/child.mjs'
import { startReplicatedPostgres } from '../shared/replicated-postgres.mjs'
import { balance } from './balance.mjs'
import { makeClient } from './client.mjs'
import { startCrew } from './crew.mjs'
import { readPhones, signUp, writeAround } from './customers.mjs'
import { Faults } from './faults.mjs'
import { Ledger } from './ledger.mjs'
import { planFaults } from './plan.mjs'
import { startReceiver } from './receiver.mjs'
import { print, summarize } from './report.mjs'
import { Takeovers } from './takeovers.mjs'

const HELP = `npm run chaos -- [--minutes 10] [--seed N] [--numbers 60] [--rate 10] [--every 2600] [--logs DIR] [--json]

The gateway as nine processes (2 api, 3 worker, 2 dispatcher, 2 simulator) on a PostgreSQL with a synchronous streaming
replica, a relay between each process and the database, and customers with sandbox numbers that write and are written to.
All the while processes are killed, paused and terminated, relays cut or silent, the database restarted, and once its
replica promoted. Then everything is made whole, and what was promised is compared with what arrived.

  --minutes  how long faults go on
  --seed     the same seed plans the same faults; printed at the start
  --numbers  how many numbers are linked
  --rate     messages a second, each way
  --every    milliseconds between two faults, on average
  --logs     keep the logs of the processes in this folder
  --json     print the result as one line of JSON

Ends with 1 where something was lost, doubled at a phone, out of order, told to the wrong account, failed although its
recipient is well, refused, or given up; or where fewer faults happened than 15 a minute.`

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
/** Nothing new for so long: what is missing then is lost. */
const QUIET_MS = 60_000
/** A machine that is busy with other things takes its time. */
const MOST_QUIET_MS = 600_000
const SET_UP_MS = 900_000
const OPERATOR_TOKEN = 'chaos-operator-token-0123456789'

if (options.help) {
  console.log(HELP)
  process.exit(0)
}
const [minutes, seed, count, rate] = ['minutes', 'seed', 'numbers', 'rate'].map(name => Number(options[name]))
const lengthMs = minutes * 60_000
const startedMs = performance.now()
const toEnd = []
const most = SET_UP_MS + 2 * lengthMs + 2 * MOST_QUIET_MS
const deadline = setTimeout(() => void end(2, 'the run does not come to its end'), most)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end(130, `ended by ${signal}`))
process.once('uncaughtException', error => void end(2, error.stack))

say(`seed ${seed}: the same with --seed ${seed}`)
await build({ quiet: true })
const folder = mkdtempSync(join(tmpdir(), 'postern-chaos-'))
toEnd.push(() => rmSync(folder, { recursive: true, force: true }))
const logs = options.logs === undefined ? folder : resolve(options.logs)
mkdirSync(logs, { recursive: true })

const database = await startReplicatedPostgres({ synchronous: true })
toEnd.push(() => database.stop())
const ledger = new Ledger()
const receiver = await startReceiver(ledger)
toEnd.push(() => receiver.close())
const takeovers = new Takeovers()
const crew = await startCrew({
  database,
  env: settings(),
  folder: logs,
  onLine: (process, line) => takeovers.noteLine(process, line),
})
toEnd.push(() => crew.stop())
await crew.untilUp()
say('2 api, 3 worker, 2 dispatcher and 2 simulator processes run')
const client = makeClient(crew.urls)
const numbers = await signUp({ client, operatorToken: OPERATOR_TOKEN, receiver, count, say })
client.statuses.clear()

const plan = planFaults({ seed, lengthMs, everyMs: Number(options.every) })
const faults = new Faults({ crew, database, say, onDeath: (process, atMs) => takeovers.died(process, atMs) })
const writing = new AbortController()
const written = writeAround({ client, numbers, ledger, rate, signal: writing.signal })
const progress = setInterval(() => say(standing()), PROGRESS_MS)
say(`${plan.length} faults in ${minutes} minutes`)
await faults.run(plan)
say('the last fault is over')
writing.abort()
await written
await crew.untilUp()
await untilQuiet()
clearInterval(progress)

const phones = await readPhones(client, numbers)
const found = balance({ ledger, phones, overview: await readOverview() })
const parts = { seed, minutes, plan, faults, members: crew.members, ledger, phones, balance: found, takeovers, client }
const result = summarize(parts)
if (options.json) console.log(JSON.stringify(result))
else print(result, parts)
await end(result.passed ? 0 : 1)

/** As shipped, but that a delivery or a start that failed is tried again sooner. */
function settings() {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('POSTERN_'))
  return {
    ...Object.fromEntries(own),
    POSTERN_DATA_DIR: join(folder, 'data'),
    POSTERN_SECRET_KEY: randomBytes(32).toString('base64'),
    POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
    POSTERN_RETRY_DELAYS: '1s,5s,30s',
    POSTERN_LOG_LEVEL: 'info',
  }
}

function say(text) {
  console.error(`${((performance.now() - startedMs) / 1000).toFixed(0).padStart(4)} s  ${text}`)
}

function standing() {
  const last = faults.done.at(-1)
  const latest = last && `; the last: ${last.kind} ${last.member?.process.name ?? 'database'}`
  const [sent, received] = [ledger.accepted().length, ledger.incoming.size]
  return `${faults.done.length} faults, ${sent} sent, ${received} received, ${ledger.untold().length} to be told${latest ?? ''}`
}

/** Until all that must come has come, or nothing new comes. */
async function untilQuiet() {
  const began = performance.now()
  ledger.lastNewsMs = began
  while (ledger.untold().length > 0 && performance.now() - ledger.lastNewsMs < QUIET_MS) {
    if (performance.now() - began > MOST_QUIET_MS) return say('something is told all the time, but not all of it')
    await later(500)
  }
  // What comes twice comes a little later, and phones read after a second.
  await later(3_000)
}

async function readOverview() {
  for (;;) {
    const { status, json } = await client.ask('GET', '/operator/overview', { key: OPERATOR_TOKEN })
    if (status === 200) return json
    await later(250)
  }
}

/** Ends everything that was started, whatever comes of it, then this process. */
async function end(code, why) {
  clearTimeout(deadline)
  if (why !== undefined) say(why)
  for (const each of toEnd.splice(0).reverse()) await Promise.resolve(each()).catch(() => {})
  process.exit(code)
}

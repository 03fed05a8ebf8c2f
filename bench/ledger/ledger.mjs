import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readConfig } from '../../dist/config.js'
import { createContext } from '../../dist/context.js'
import { later } from '../shared/child.mjs'
import { balance, countBy, pathsOf, readRepeats } from './account.mjs'
import { keyOf, receiverOf, startLedger } from './receiver.mjs'
import { openTraffic } from './traffic.mjs'
import { startPostgres } from '../shared/postgres.mjs'
import { query } from '../shared/query.mjs'
import { addAccount, addEndpoint, addWebhook } from '../shared/webhooks.mjs'

/**
 * Compares the committed events with the delivered ones while it kills processes with SIGKILL every few
 * seconds. The processes are the gateway itself: all roles in one on the embedded database, or with `--separate` api,
 * worker, simulator and two dispatchers separately, each killed in turn. Messages go through the API and the sandbox
 * all the time, a few a second; most events are published through the store's own transaction, by the
 * one process or by an additional one that is killed like the others. `--postgres` restarts its database once, half-way.
 * Two of the accounts of the producer have four endpoints besides the webhook, and the account of the API has five, one of
 * which a program reads.
 *
 * Prints what was lost, unexpected, wrongly signed, altered, sent twice and out of order. A delivery may be sent again only if
 * its result was not committed when its dispatcher died, which is looked up in the database after each kill, if the result
 * came after its shard had gone to another owner, which the late owner notes, or if no response came in time.
 *
 *   npm run bench -- ledger [--events 100000] [--seconds 300] [--kills 0] [--rate 600] [--separate --postgres | --database postgres://…]
 */
const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '300' },
    kills: { type: 'string', default: '0' },
    rate: { type: 'string', default: '600' },
    postgres: { type: 'boolean', default: false },
    database: { type: 'string' },
    separate: { type: 'boolean', default: false },
  },
})
const NUMBERS = 20
const NUMBERS_WITH_ENDPOINTS = 2
const KILL_EVERY_MS = [2_000, 5_000]
const OPERATOR_TOKEN = 'ledger-operator-token-0123456789'
const CREW = options.separate
  ? ['dispatcher', 'api', 'dispatcher', 'worker', 'producer', 'simulator']
  : ['api,worker,dispatcher,simulator,producer']
const folder = mkdtempSync(join(tmpdir(), 'postern-ledger-'))
const postgres = options.postgres ? await startPostgres() : undefined
const databaseUrl = options.database ?? postgres?.url
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('POSTERN_'))),
  POSTERN_DATA_DIR: join(folder, 'data'),
  POSTERN_PORT: '0',
  POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
  POSTERN_RETRY_DELAYS: '300ms,500ms,700ms',
  POSTERN_LEASE_TTL: '5s',
  POSTERN_LOG_LEVEL: 'error',
  ...(databaseUrl === undefined ? {} : { POSTERN_DATABASE_URL: databaseUrl }),
}
const startedAt = Date.now()
const kills = []
let generation = 0
let crashes = 0
let restarts = 0
let apiUrl

const ledger = await startLedger()
const setup = await setUp()
const children = await Promise.all(CREW.map(startProcess))
log('the gateway runs')
const traffic = await openTraffic({ urlNow: () => apiUrl, operatorToken: OPERATOR_TOKEN, ledger })
log('messages flow')
await killAround()
log('the last kill is done')
await traffic.stop()
for (const { process: child } of children) child.send('stop producing')
await untilQuiet()
log('nothing is left')
await Promise.all(children.map(dismiss))
const dead = await rowsOf('select dedupe_id as id, webhook_id as receiver, attempts from dead_letters')
const result = balance({ folder, ledger, setup, traffic, dead, kills, crashes })
console.log(JSON.stringify({ ...result, restarts }))
ledger.close()
await postgres?.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(result.passed ? 0 : 1)

/** Progress for people; a program reads only the result. */
function log(text) {
  if (process.stderr.isTTY || process.env.LEDGER_TALK) {
    console.error(
      `${((Date.now() - startedAt) / 1000).toFixed(0)} s: ${text}, ${kills.length} kills, ${ledger.received.size} events`,
    )
  }
}

async function setUp() {
  const own = Object.entries(env).filter(([name]) => name.startsWith('POSTERN_'))
  const context = await createContext(readConfig(Object.fromEntries(own)))
  const accounts = []
  const receivers = []
  for (let n = 0; n < NUMBERS; n++) {
    const accountId = await addAccount(context)
    const secret = `whsec_ledger${n}`
    const path = `/bulk-${n}`
    const { id, sessionId } = await addWebhook(context, accountId, 999_100_000 + n, ledger.urlOf(path), secret)
    ledger.receivers.set(path, receiverOf({ id, secret, path, bulk: true }))
    accounts.push({ accountId, sessionId })
    const paths = [path]
    receivers.push(paths)
    if (n >= NUMBERS_WITH_ENDPOINTS) continue
    for (const [sort, settings] of Object.entries(sortsOf(sessionId))) {
      const own = `${path}-${sort}`
      const endpoint = await addEndpoint(context, accountId, ledger.urlOf(own), settings)
      const { signature, retry } = settings
      const form = { standard: signature === 'standard', eager: retry !== 'ladder' }
      ledger.receivers.set(own, receiverOf({ ...endpoint, path: own, bulk: true, ...form }))
      paths.push(own)
    }
  }
  await context.close()
  for (const name of ['tried', 'committed', 'repeats']) writeFileSync(join(folder, name), '')
  writeFileSync(join(folder, 'setup.json'), JSON.stringify({ accounts }))
  return { receiversOf: id => receivers[Number(id.split('-')[2]) % NUMBERS] }
}

/** Endpoints of every sort that get each event of the producer. */
function sortsOf(sessionId) {
  return {
    eager: {},
    ladder: { retry: 'ladder' },
    standard: { signature: 'standard', retry: 'ladder' },
    filtered: { sessionIds: [sessionId], direction: 'in', kinds: ['message', 'call'] },
  }
}

/** Starts a process with these roles, and again if the database is briefly unreachable. */
async function startProcess(name) {
  const roles = name.split(',').filter(role => role !== 'producer')
  const produces = name.includes('producer')
  const job = { folder, rate: Number(options.rate), generation: generation++, produces, hosts: roles.length > 0 }
  const child = fork(fileURLToPath(new URL('child.mjs', import.meta.url)), {
    env: { ...env, POSTERN_ROLES: roles.join(',') || 'api', LEDGER: JSON.stringify(job) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ready = await new Promise(resolve => {
    child.once('message', resolve)
    child.once('exit', () => resolve(undefined))
  })
  if (ready === undefined) {
    await later(300)
    return await startProcess(name)
  }
  if (ready.url !== null) apiUrl = ready.url
  return { name, process: child, nodeId: ready.nodeId }
}

/** Kills one process after the other until the time is over and there are enough commits and kills. */
async function killAround() {
  const began = Date.now()
  const endAt = began + Number(options.seconds) * 1000
  const goesOn = () => Date.now() < endAt || (isShort() && Date.now() < endAt + (endAt - began))
  for (let turn = 0; goesOn() || kills.length < Number(options.kills); turn++) {
    await later(KILL_EVERY_MS[0] + Math.random() * (KILL_EVERY_MS[1] - KILL_EVERY_MS[0]))
    const i = turn % CREW.length
    const victim = children[i]
    const shards = await readShards(victim)
    if (victim.process.exitCode !== null) crashes++
    else {
      victim.process.kill('SIGKILL')
      await new Promise(resolve => victim.process.once('exit', resolve))
    }
    kills.push({ name: victim.name, uncommitted: await readUncommitted(shards) })
    children[i] = await startProcess(CREW[i])
    if (postgres !== undefined && restarts === 0 && Date.now() > (began + endAt) / 2) {
      restarts++
      await postgres.restart()
    }
  }
  crashes += children.filter(child => child.process.exitCode !== null).length
}

function isShort() {
  return readFileSync(join(folder, 'committed'), 'utf8').split('\n').length <= Number(options.events)
}

/** The shards that a dispatcher owns. */
async function readShards({ name, nodeId }) {
  if (!name.includes('dispatcher')) return []
  const leases = await rowsOf(`select id from leases where kind = 'shard' and owner like '${nodeId}%'`)
  return leases.map(({ id }) => Number(id))
}

/**
 * Deliveries of the dead dispatcher's shards that the receiver has seen and whose result is not in the database. The
 * receiver first reads what the dead process has sent; the leases last longer than that.
 */
async function readUncommitted(shards) {
  if (shards.length === 0) return []
  const rows = await rowsOf(
    `select dedupe_id as id, lane, attempt from deliveries where shard in (${shards.join(', ')})`,
  )
  await later(1_000)
  await ledger.drained()
  const unanswered = countBy(readRepeats(folder, ledger), ({ reason, key }) => (reason === 'unanswered' ? key : ''))
  const pathOf = pathsOf(ledger)
  return rows
    .map(({ id, lane, attempt }) => ({ key: keyOf(pathOf.get(lane.split(':')[0]), id), attempt: Number(attempt) }))
    .filter(({ key, attempt }) => (ledger.received.get(key)?.posts ?? 0) > attempt - (unanswered[key] ?? 0))
    .map(({ key }) => key)
}

/** Repeats the query while the database is unreachable. */
async function rowsOf(sql) {
  for (;;) {
    try {
      return await query({ databaseUrl: databaseUrl ?? null, dataDir: env.POSTERN_DATA_DIR }, sql)
    } catch (error) {
      if (databaseUrl === undefined) throw error
      await later(200)
    }
  }
}

/** Waits until every accepted message has its event and no delivery is left, or until nothing changes any more. */
async function untilQuiet() {
  let [before, giveUpAt] = ['', 0]
  for (let quiet = 0; quiet < 3; ) {
    await later(500)
    const [{ n }] = await rowsOf('select count(*) as n from deliveries')
    const unreported = traffic.unreported().length
    quiet = Number(n) === 0 && unreported === 0 && traffic.pulled().lost === 0 ? quiet + 1 : 0
    const now = `${n} ${unreported} ${ledger.received.size} ${traffic.pulled().read}`
    if (now !== before) giveUpAt = Date.now() + 90_000
    if (Date.now() > giveUpAt) return
    before = now
  }
}

async function dismiss({ process: child }) {
  if (child.exitCode !== null) return
  child.send('stop')
  await new Promise(resolve => child.once('exit', resolve))
}

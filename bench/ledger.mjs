import { fork } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { readConfig } from '../dist/config.js'
import { createContext } from '../dist/context.js'
import { makeId } from '../dist/domain/ids.js'
import { openDatabase } from '../dist/store/sqlite/driver.js'
import { startPostgres } from './postgres.mjs'

/**
 * Two ledgers, one of what was committed and one of what arrived, while processes are killed with SIGKILL every few
 * seconds. Prints what was lost, unexpected, wrongly signed, altered and sent twice. A delivery may be sent twice only
 * where its result was not committed when its process died, which is counted in the database after each kill, or came
 * after its shard had gone to another owner, which the late owner counts.
 *
 *   node bench/ledger.mjs [--seconds 300] [--rate 350] [--postgres | --database postgres://…] [--separate]
 */
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    rate: { type: 'string', default: '350' },
    postgres: { type: 'boolean', default: false },
    database: { type: 'string' },
    separate: { type: 'boolean', default: false },
  },
})
const NUMBERS = 20
const KILL_EVERY_MS = [1_500, 4_000]
const folder = mkdtempSync(join(tmpdir(), 'postern-ledger-'))
const postgres = options.postgres ? await startPostgres() : undefined
const databaseUrl = options.database ?? postgres?.url
const env = {
  ...process.env,
  POSTERN_DATA_DIR: join(folder, 'data'),
  POSTERN_RETRY_DELAYS: '300ms,500ms,700ms',
  POSTERN_LEASE_TTL: '2s',
  POSTERN_LOG_LEVEL: 'error',
  ...(databaseUrl === undefined ? {} : { POSTERN_DATABASE_URL: databaseUrl }),
}
const received = new Map()
const faults = { unsigned: 0, foreign: 0 }
let staleResults = 0
const secrets = new Map()
const receiver = await startReceiver()
await setUp()

const crew = options.separate ? [['producer'], ['dispatcher'], ['dispatcher']] : [['producer', 'dispatcher']]
let generation = 0
const children = await Promise.all(crew.map(roles => hire(roles)))
const uncommitted = []
let crashes = 0
const endAt = Date.now() + Number(options.seconds) * 1000
while (Date.now() < endAt) {
  await later(KILL_EVERY_MS[0] + Math.random() * (KILL_EVERY_MS[1] - KILL_EVERY_MS[0]))
  const i = Math.floor(Math.random() * children.length)
  if (children[i].exitCode !== null) crashes++
  else {
    children[i].kill('SIGKILL')
    await new Promise(resolve => children[i].once('exit', resolve))
  }
  uncommitted.push(await countUncommitted())
  children[i] = await hire(crew[i])
}
crashes += children.filter(child => child.exitCode !== null).length
const living = children.filter(child => child.exitCode === null)
for (const child of living) child.send('stop producing')
await untilEmpty()
for (const child of living) child.send('stop')
await Promise.all(living.map(child => new Promise(resolve => child.once('exit', resolve))))
const result = account(await deadLetters())
console.log(JSON.stringify(result))
receiver.closeAllConnections()
receiver.close()
await postgres?.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(result.passed ? 0 : 1)

function startReceiver() {
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const id = request.headers['x-message-id']
      if (!isSigned(request.headers, body)) faults.unsigned++
      if (request.url !== `/${id.split('-')[2]}`) faults.foreign++
      const hash = createHash('sha256').update(body).digest('hex')
      const entry = received.get(id) ?? { posts: 0, accepted: 0, hashes: new Set() }
      received.set(id, entry)
      entry.posts++
      entry.hashes.add(hash)
      const ok = entry.posts > failuresOf(id)
      if (ok) entry.accepted++
      response.writeHead(ok ? 200 : 503).end()
    })
  })
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)))
}

/** One in twenty fails at first, one in a hundred for ever. */
function failuresOf(id) {
  const dice = createHash('sha256').update(id).digest().readUInt16BE() % 100
  return dice === 0 ? Number.POSITIVE_INFINITY : dice <= 5 ? 1 : 0
}

function isSigned(headers, body) {
  const match = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-webhook-signature'] ?? '')
  const secret = secrets.get(headers['x-webhook-id'])
  if (match === null || secret === undefined || match[1] !== headers['x-timestamp']) return false
  const fresh = Math.abs(Date.now() / 1000 - Number(match[1])) < 300
  return fresh && createHmac('sha256', secret).update(`${match[1]}.`).update(body).digest('hex') === match[2]
}

async function setUp() {
  const context = await createContext(readConfig(pick(env)))
  const accounts = []
  for (let number = 0; number < NUMBERS; number++) {
    const [accountId, webhookId] = [makeId('acc'), makeId('wh')]
    const secret = `whsec_${makeId('key')}`
    const phone = String(999_100_000 + number)
    const sessionId = `${phone}@s.whatsapp.net`
    const url = `http://127.0.0.1:${receiver.address().port}/${number}`
    await context.store.createAccount({
      id: accountId,
      name: 'ledger',
      plan: 'max',
      limitOverrides: {},
      acceptTosVersion: '2026-01',
      user: null,
      key: null,
    })
    await context.store.createWebhook({
      id: webhookId,
      accountId,
      sessionId,
      phone,
      urls: { messages: url, status: url, connection: url, events: url },
      sealedSecret: context.seal.seal(secret, `webhook:${webhookId}`),
    })
    secrets.set(webhookId, secret)
    accounts.push({ accountId, sessionId, number })
  }
  await context.close()
  writeFileSync(join(folder, 'setup.json'), JSON.stringify({ accounts }))
}

function pick(all) {
  return Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith('POSTERN_')))
}

async function hire(roles) {
  const ledger = JSON.stringify({ folder, roles, rate: Number(options.rate), generation: generation++ })
  const child = fork(fileURLToPath(new URL('ledger-child.mjs', import.meta.url)), {
    env: { ...env, LEDGER: ledger },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const outcome = await new Promise(resolve => {
    child.once('message', () => resolve('ready'))
    child.on('message', message => message.stale && staleResults++)
    child.once('exit', () => resolve('failed'))
  })
  // The database may be away for a moment: then the process could not start.
  if (outcome === 'ready') return child
  await later(300)
  return await hire(roles)
}

async function query(sql) {
  if (databaseUrl === undefined) {
    const database = openDatabase(join(folder, 'data', 'postern.db'), { readOnly: false })
    const rows = database.prepare(sql).all()
    database.close()
    return rows
  }
  for (;;) {
    const client = new pg.Client({ connectionString: databaseUrl })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query(sql)).rows
    } catch {
      await later(200)
    } finally {
      await client.end().catch(() => {})
    }
  }
}

/** Deliveries that a receiver has seen at this attempt, and whose result is not in the database. */
async function countUncommitted() {
  const rows = await query('select e.dedupe_id as id, d.attempt from deliveries d join events e on e.id = d.event_id')
  return rows.filter(row => (received.get(row.id)?.posts ?? 0) > Number(row.attempt)).length
}

function deadLetters() {
  return query('select dedupe_id as id, attempts from dead_letters')
}

async function untilEmpty() {
  for (let empty = 0; empty < 3; ) {
    await later(500)
    const [{ n }] = await query('select count(*) as n from deliveries')
    empty = Number(n) === 0 ? empty + 1 : 0
  }
}

function account(dead) {
  const read = name =>
    readFileSync(join(folder, name), 'utf8')
      .trim()
      .split('\n')
      .map(line => line.split(' '))
  const tried = new Map(existsSync(join(folder, 'tried')) ? read('tried') : [])
  const committed = new Set(read('committed').map(([id]) => id))
  const deadIds = new Set(dead.map(row => row.id))
  const accepted = new Set([...received].filter(([, entry]) => entry.accepted > 0).map(([id]) => id))
  const lost = [...committed].filter(id => !accepted.has(id) && !deadIds.has(id)).length
  const unexpected = [...received.keys()].filter(id => !tried.has(id)).length
  const altered = [...received].filter(
    ([id, entry]) => entry.hashes.size > 1 || !entry.hashes.has(tried.get(id)),
  ).length
  const duplicates = [...received].reduce((sum, [id, entry]) => sum + extra(id, entry), 0)
  const allowed = uncommitted.reduce((sum, n) => sum + n, 0)
  const maxAttempts = Math.max(0, ...dead.map(row => JSON.parse(row.attempts).length))
  const wronglyDead = dead.filter(row => failuresOf(row.id) === 0 && !accepted.has(row.id)).length
  return {
    passed:
      lost + unexpected + altered + faults.unsigned + faults.foreign + wronglyDead + crashes === 0 &&
      duplicates <= allowed + staleResults &&
      maxAttempts <= 4 &&
      committed.size > 0,
    tried: tried.size,
    committed: committed.size,
    delivered: accepted.size,
    dead: deadIds.size,
    recovered: [...accepted].filter(id => !committed.has(id)).length,
    lost,
    unexpected,
    altered,
    wrongSignature: faults.unsigned,
    wrongEndpoint: faults.foreign,
    wronglyDead,
    crashes,
    kills: uncommitted.length,
    duplicates,
    uncommittedAtKills: allowed,
    staleResults,
    mostAtOneKill: Math.max(0, ...uncommitted),
    maxAttempts,
  }
}

/** Requests beyond the ones that the receiver's answers called for. */
function extra(id, { posts }) {
  const failures = failuresOf(id)
  return Math.max(0, posts - (failures === Number.POSITIVE_INFINITY ? 4 : failures + 1))
}

function later(ms) {
  return new Promise(resolve => setTimeout(resolve, ms))
}

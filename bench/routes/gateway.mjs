import { runInNewContext } from 'node:vm'
import { setFlagsFromString } from 'node:v8'
import { createAccount } from '../../dist/actions/create-account.js'
import { readConfig } from '../../dist/config.js'
import { aboutAutoReject } from '../../dist/domain/sealed.js'
import { startGateway } from '../../dist/gateway.js'
import { openDatabase } from '../../dist/store/sqlite/driver.js'
import { databasePath } from '../../dist/store/sqlite/data-folder.js'
import { fillPortal } from '../../scripts/portal-data.mjs'
import { answerParent, later } from '../shared/child.mjs'
import { longestBlock } from '../shared/loop-probe.mjs'
import { UNLIMITED } from '../shared/unlimited.mjs'

/** The whole gateway as shipped, with an account whose rows are as heavy as they can be. */
const gateway = await startGateway(readConfig(process.env))
const { seal, config } = gateway.context
const SAMPLE_MS = 2
const MB = 1024 * 1024
const EMAIL = 'worst@example.com'
const PASSWORD = 'p'.repeat(200)
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
let running

async function prepare() {
  const created = await createAccount(gateway.context, {
    name: 'n'.repeat(200),
    plan: 'max',
    limits: UNLIMITED,
    email: EMAIL,
    password: PASSWORD,
    acceptTos: true,
    keyLabel: 'bench',
  })
  const accountId = created.account.id
  const amounts = { numbers: 100, messages: 20_000, history: 500, deadLetters: 200 }
  const sessions = fillPortal({ dataDir: config.dataDir, accountId, seal, ...amounts })
  const database = openDatabase(databasePath(config.dataDir), { readOnly: false, timeoutMs: 60_000 })
  makeHeavy(database, sessions)
  const one = sql => database.prepare(sql).get().id
  const ids = {
    message: one('select id from messages limit 1'),
    delivery: one('select id from history limit 1'),
    dead: one('select id from dead_letters limit 1'),
  }
  database.close()
  return { url: gateway.url, key: created.apiKey.key, email: EMAIL, password: PASSWORD, sessions, ...ids }
}

/** Fills the rows with the longest values that customers and their endpoints can choose. */
function makeHeavy(database, sessions) {
  const url = `https://example.com/${'u'.repeat(4076)}`
  const attempt = n => ({
    attempt: n,
    atMs: Date.now(),
    delivered: false,
    code: 500,
    latencyMs: 10_000,
    error: 'http_5xx',
    excerpt: '"'.repeat(1024),
  })
  const attempts = JSON.stringify([1, 2, 3, 4].map(attempt))
  const kept = Object.fromEntries(['message_id', 'chat_jid', 'sender_jid', 'type'].map(name => [name, '"'.repeat(127)]))
  const options = Array.from({ length: 101 }, () => '[redacted: 100 bytes]')
  const redacted = JSON.stringify({ kind: 'message', ...kept, poll: { name: '[redacted: 255 bytes]', options } })
  database.exec('begin immediate')
  database
    .prepare('update webhooks set messages_url = ?, status_url = ?, connection_url = ?, events_url = ?')
    .run(url, url, url, url)
  for (const table of ['history', 'dead_letters'])
    database.prepare(`update ${table} set attempts = ?, redacted = ?`).run(attempts, redacted)
  database.prepare('update messages set detail = ?, request_id = ?').run('d'.repeat(300), '"'.repeat(255))
  const rejecting = database.prepare(
    'update sessions set label = ?, auto_reject = 1, auto_reject_message = ? where id = ?',
  )
  for (const { id } of sessions) rejecting.run('"'.repeat(100), seal.seal('"'.repeat(4096), aboutAutoReject(id)), id)
  const state = database.prepare('insert into message_states (message_id, state, recipient, at) values (?, ?, ?, ?)')
  const message = database.prepare('select id from messages limit 1').get().id
  for (let i = 0; i < 1_024; i++)
    for (const name of ['delivered', 'read']) state.run(message, name, `${15_550_000_000 + i}@s.whatsapp.net`, i)
  database.exec('commit')
}

/** `spin` measures every turn of the loop; without it the processor time is that of the requests only. */
async function begin({ spin }) {
  collect()
  await later(20)
  let over
  const until = new Promise(resolve => (over = resolve))
  const base = process.memoryUsage()
  const peak = { rss: base.rss, heap: base.heapUsed + base.external }
  const sampler = setInterval(() => {
    const now = process.memoryUsage()
    peak.rss = Math.max(peak.rss, now.rss)
    peak.heap = Math.max(peak.heap, now.heapUsed + now.external)
  }, SAMPLE_MS)
  const probe = spin ? longestBlock(() => until) : until.then(() => ({ longest: 0 }))
  running = { over, probe, sampler, base, peak, cpu: process.cpuUsage() }
}

async function end() {
  const { over, probe, sampler, base, peak, cpu } = running
  const { user, system } = process.cpuUsage(cpu)
  over()
  const { longest } = await probe
  clearInterval(sampler)
  return {
    cpuMs: (user + system) / 1000,
    holdMs: longest,
    rssMb: (peak.rss - base.rss) / MB,
    heapMb: (peak.heap - base.heapUsed - base.external) / MB,
  }
}

answerParent({ prepare, begin, end }, () => gateway.stop())

import { createAccount } from '../../dist/actions/create-account.js'
import { createWebhook } from '../../dist/actions/edit-webhooks.js'
import { readConfig } from '../../dist/config.js'
import { makeId } from '../../dist/domain/ids.js'
import { sessionLease, SIMULATOR_LEASE } from '../../dist/domain/lease.js'
import { aboutMessage, aboutCreds, aboutKey } from '../../dist/domain/sealed.js'
import { startGateway } from '../../dist/gateway.js'
import { openDatabase } from '../../dist/store/sqlite/driver.js'
import { databasePath } from '../../dist/store/sqlite/data-folder.js'
import { answerParent, eachOf, later } from './child.mjs'
import { contactOf } from './contacts.mjs'
import { measureMemory, measureUsage } from './measure-memory.mjs'
import { takeLease } from './take-lease.mjs'
import { UNLIMITED } from './unlimited.mjs'

/** The gateway as shipped, on the embedded database, with its numbers on an external sandbox network. */
const gateway = await startGateway(readConfig(process.env))
const { store, seal, platformIds, config } = gateway.context
const reader = openDatabase(databasePath(config.dataDir), { readOnly: true })
const POLL_MS = 10
/** A generous estimate of the time to accept a message. */
const ACCEPT_MS = 0.6
const numbers = []
let account
let queued

async function register() {
  const created = await createAccount(gateway.context, {
    name: 'bench',
    plan: 'max',
    limits: UNLIMITED,
    acceptTos: true,
    keyLabel: 'bench',
  })
  account = created.account
  return { url: gateway.url, key: created.apiKey.key }
}

/** Workers find the sandbox network in the store. */
async function findNetwork(address) {
  const lease = await takeLease(store, SIMULATOR_LEASE)
  await store.simulator.publishSimulator({ lease, address })
}

async function adopt({ devices, webhookUrl, sendsAll = false }) {
  return await eachOf(devices, 8, async ({ sessionId, device, phone, creds, keys }) => {
    const lease = await takeLease(store, sessionLease(sessionId))
    await store.devices.commitDeviceState({
      lease,
      creds: seal.seal(creds, aboutCreds(sessionId)),
      keys: keys.map(({ category, id, value }) => ({
        category,
        id,
        sealed: value && seal.seal(value, aboutKey(sessionId, category, id)),
      })),
      inbox: [],
      sent: [],
    })
    await store.leases.releaseLeases([lease])
    const accountId = account.id
    const row = { accountId, id: sessionId, phone, device, label: '', platform: 'sandbox', maxSessions: null }
    await store.sessions.registerSession(row)
    numbers.push(sessionId)
    if (webhookUrl === undefined) return { sessionId }
    const urls = { messages_url: webhookUrl, status_url: webhookUrl, connection_url: webhookUrl }
    if (sendsAll) urls.events_url = webhookUrl
    const { webhook, secret } = await createWebhook(gateway.context, { ...row }, urls)
    return { sessionId, webhookId: webhook.id, secret }
  })
}

async function untilConnected(count) {
  const connected = reader.prepare(
    `select count(*) as n from sessions s join leases l on l.kind = 'session' and l.id = s.id
     where s.state = 'connected' and l.owner is not null`,
  )
  while (connected.get().n < count) await later(POLL_MS)
}

/** Accepts messages of every number, all due at the same time after accepting has ended. */
async function queue(perNumber) {
  const jobs = numbers.flatMap((sessionId, n) =>
    Array.from({ length: perNumber }, (_, i) => ({ sessionId, to: `${contactOf(n, i)}@s.whatsapp.net` })),
  )
  const dueAt = Date.now() + 500 + Math.ceil(jobs.length * ACCEPT_MS)
  await eachOf(jobs, 256, job => accept(job, dueAt))
  if (Date.now() > dueAt) throw new Error('accepting took longer than estimated')
  queued = { dueAt, count: jobs.length }
  return dueAt
}

async function accept({ sessionId, to }, sendAt) {
  const id = makeId('msg')
  const outgoing = { content: { type: 'text', text: 'x'.repeat(200), mentions: [], linkPreview: false }, quote: null }
  await store.messages.acceptMessage({
    accountId: account.id,
    limits: { perSecond: null, burst: null, perMonth: null },
    message: {
      id,
      sessionId,
      requestKey: null,
      fingerprint: null,
      to,
      type: 'text',
      platformId: platformIds.of(id),
      sendAt,
    },
    sealedContent: seal.sealJson(outgoing, aboutMessage(id)),
  })
}

/** Waits until all queued messages are acknowledged and recorded as sent; measures the rate from the first one. */
async function drain() {
  const { dueAt, count } = queued
  const statement = reader.prepare('select count(*) as n from commands where due_at <= ?')
  const left = () => statement.get(dueAt).n
  await later(Math.max(0, dueAt - Date.now()))
  while (left() === count) await later(POLL_MS)
  const [from, cpu, before] = [performance.now(), process.cpuUsage(), left()]
  while (left() > 0) await later(POLL_MS)
  const { user, system } = process.cpuUsage(cpu)
  const wrong = reader.prepare("select count(*) as n from messages where state = 'failed'").get().n
  if (wrong > 0) throw new Error(`${wrong} messages failed`)
  return { rate: (before / (performance.now() - from)) * 1000, cpuMicros: (user + system) / before }
}

/** How many people the number knows by both of their names. */
function knownNames(sessionId) {
  const keys = reader.prepare("select count(*) as n from device_keys where session_id = ? and category = 'lid-mapping'")
  // Each name leads to the other.
  return keys.get(sessionId).n / 2
}

const answers = {
  register,
  findNetwork,
  adopt,
  untilConnected,
  queue,
  drain,
  knownNames,
  memory: measureMemory,
  usage: measureUsage,
}
answerParent(answers, () => gateway.stop())

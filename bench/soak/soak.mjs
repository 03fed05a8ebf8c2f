import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from '../../scripts/build.mjs'
import { later, startChild } from '../shared/child.mjs'
import { contactOf, sandboxNumbers } from '../shared/contacts.mjs'
import { isSigned } from '../shared/signature.mjs'
import { helpIfAsked } from '../../scripts/shared/help.mjs'

/**
 * Runs the gateway under steady load: numbers that send and receive, and a customer's server that receives all
 * events. At the end every message and every event must have arrived once, and memory must not
 * grow. Exits with 1 otherwise.
 *
 *   npm run soak                    SOAK_MINUTES (30), SOAK_NUMBERS (20), SOAK_RATE (20 messages a second each way)
 */
helpIfAsked(import.meta.url)
const MINUTES = Number(process.env.SOAK_MINUTES ?? 30)
const NUMBERS = Number(process.env.SOAK_NUMBERS ?? 20)
const RATE = Number(process.env.SOAK_RATE ?? 20)
const REPORTS = 12
/** How much the heaps may grow from the first tenth of the time to the end. */
const GROWTH = 1.1
const QUIET_MS = 20_000
const MB = 1024 * 1024

const outgoing = new Map()
const incoming = new Map()
const posts = new Map()
const events = new Map()
const secrets = new Map()
const faults = { refused: 0, unsigned: 0 }
const kinds = new Map()
let lastPostMs = 0

await build({ quiet: true })
const dataDir = mkdtempSync(join(tmpdir(), 'postern-soak-'))
const receiver = await startReceiver()
const network = startChild(new URL('../shared/sandbox-network.mjs', import.meta.url))
const address = await network.ask('open', {})
const gateway = startChild(new URL('../shared/sandbox-gateway.mjs', import.meta.url), {
  POSTERN_DATA_DIR: dataDir,
  POSTERN_PORT: '0',
  POSTERN_ROLES: 'api,worker,dispatcher',
  POSTERN_SANDBOX: 'on',
})
await gateway.ask('findNetwork', address)
const { url, key } = await gateway.ask('register')
const devices = await network.ask('pair', sandboxNumbers(3, NUMBERS))
const webhookUrl = `http://127.0.0.1:${receiver.address().port}/hook`
const numbers = await gateway.ask('adopt', { devices, webhookUrl })
for (const { webhookId, secret } of numbers) secrets.set(webhookId, secret)
await gateway.ask('untilConnected', NUMBERS)
console.log(`${NUMBERS} numbers, ${RATE} messages a second each way, ${MINUTES} minutes`)

const lengthMs = MINUTES * 60_000
const serials = counter()
await work(lengthMs / 10)
await untilQuiet()
const before = await gateway.ask('memory')
await work(lengthMs * 0.9)
await untilQuiet()
const after = await gateway.ask('memory')
const held = await network.ask('read')
const unacknowledged = await network.ask('unacknowledged')
const unreadByDevices = await network.ask('unread')
await gateway.stop()
await network.stop()
receiver.close()
receiver.closeAllConnections()
rmSync(dataDir, { recursive: true, force: true })
const eventKinds = [...kinds].map(([kind, n]) => `${n} ${kind}`).join(', ')
const result = { ...account(held), delivered: eventKinds, unacknowledged, unreadByDevices, ...faults, ...growth() }
for (const [name, value] of Object.entries(result)) console.log(`${name}: ${value}`)
process.exit(result.passed && unacknowledged === 0 && unreadByDevices === 0 && result.flat ? 0 : 1)

function* counter() {
  for (let serial = 0; ; serial++) yield serial
}

/** Writes in both directions at a steady rate. */
async function work(ms) {
  const began = performance.now()
  const elapsedMs = () => performance.now() - began
  let reportAtMs = ms / REPORTS
  for (let done = 0; elapsedMs() < ms; ) {
    for (const due = (elapsedMs() / 1000) * RATE; done < due; done++) {
      const serial = serials.next().value
      void sendOut(serial)
      void writeIn(serial)
    }
    if (elapsedMs() > reportAtMs) {
      reportAtMs += ms / REPORTS
      const memory = describe(await gateway.ask('memory'))
      console.log(`${outgoing.size} out, ${incoming.size} in, ${posts.size} events, ${memory}`)
    }
    await later(10)
  }
}

async function sendOut(serial) {
  const number = serial % NUMBERS
  const text = `out-${serial}`
  const body = { session_id: numbers[number].sessionId, to: contactOf(number, Math.floor(serial / NUMBERS)), text }
  const answer = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': text },
    body: JSON.stringify(body),
  }).catch(() => undefined)
  if (answer?.status !== 202) faults.refused++
  else outgoing.set((await answer.json()).request_id, text)
}

async function writeIn(serial) {
  const number = serial % NUMBERS
  const from = contactOf(number, Math.floor(serial / NUMBERS))
  const id = await network.ask('write', { from, to: numbers[number].sessionId, text: `in-${serial}` })
  incoming.set(id, serial)
}

/** A customer's server: checks each signature and records the events. */
async function startReceiver() {
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      if (!isSigned(request.headers, body, secrets.get(request.headers['x-webhook-id']))) faults.unsigned++
      note(request.headers['x-message-id'], JSON.parse(body.toString()))
      response.writeHead(200).end()
    })
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return server
}

function note(deliveryId, event) {
  lastPostMs = performance.now()
  const kind = event.event ?? event.receipt_type ?? event.status ?? event.kind
  kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  posts.set(deliveryId, (posts.get(deliveryId) ?? 0) + 1)
  const name = nameOf(event)
  if (name !== undefined) events.set(name, (events.get(name) ?? 0) + 1)
}

function nameOf(event) {
  if (event.kind === 'message') return `message ${event.message_id}`
  if (event.kind === 'status') return `${event.status} ${event.request_id}`
  if (event.kind === 'receipt') return `${event.receipt_type} ${event.request_id}`
  return undefined
}

function expected() {
  return [
    ...[...incoming.keys()].map(id => `message ${id}`),
    ...[...outgoing.keys()].flatMap(id => [`sent ${id}`, `delivered ${id}`, `read ${id}`]),
  ]
}

/** Waits for missing events; after QUIET_MS without an event they count as lost. */
async function untilQuiet() {
  while (performance.now() - lastPostMs < QUIET_MS && expected().some(name => !events.has(name))) await later(250)
  // Duplicates arrive a little later.
  await later(2_000)
}

function account(held) {
  const copies = new Map()
  for (const { text, copies: n } of held) copies.set(text, (copies.get(text) ?? 0) + n)
  const wanted = expected()
  const known = new Set(wanted)
  const texts = [...outgoing.values()]
  const counts = {
    sent: outgoing.size,
    received: incoming.size,
    lostAtPhones: texts.filter(text => !copies.has(text)).length,
    doubledAtPhones: texts.filter(text => copies.get(text) > 1).length,
    lostEvents: wanted.filter(name => !events.has(name)).length,
    doubledEvents: [...events.values()].filter(n => n > 1).length,
    doubledDeliveries: [...posts.values()].filter(n => n > 1).length,
    unexpectedEvents: [...events.keys()].filter(name => !known.has(name)).length,
  }
  const { sent, received, ...wrong } = counts
  const none = Object.values({ ...wrong, ...faults }).every(n => n === 0)
  return { passed: none && sent > 0 && received > 0, ...counts }
}

/** The growth of all heaps after a full collection, while idle. */
function growth() {
  const [first, last] = [before, after].map(({ heaps }) => heaps.reduce((sum, each) => sum + each, 0))
  return { memory: `${describe(before)}; then ${describe(after)}`, flat: last <= first * GROWTH }
}

function describe({ heaps, rss }) {
  return `${heaps.map(inMb).join(' + ')} MB in use, ${inMb(rss)} MB resident`
}

function inMb(bytes) {
  return (bytes / MB).toFixed(1)
}

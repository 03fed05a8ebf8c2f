import { createServer } from 'node:http'
import { build } from '../../scripts/build.mjs'
import { later } from '../shared/child.mjs'
import { contactOf, sandboxNumbers } from '../shared/contacts.mjs'
import { isSigned } from '../shared/signature.mjs'
import { openStage } from '../shared/stage.mjs'
import { helpIfAsked } from '../../scripts/shared/help.mjs'

/**
 * Runs the gateway under steady load: numbers that send and receive, and a customer's server that receives all
 * events. Most received messages are of people who have not written before; messages of groups arrive out of order; and
 * the phone of a number sends a history of real size at the beginning, and another one in the middle. At the end every
 * message and every event must have arrived once, every name of the histories must be known, and memory must not grow
 * in the second half of the time: the caches of a number are full after about 1,000 people have written to it. Exits with 1
 * otherwise.
 *
 *   npm run soak        SOAK_MINUTES (30), SOAK_NUMBERS (20), SOAK_RATE (30 messages a second each way),
 *                       SOAK_PEOPLE (50000), SOAK_GROUPS (10, 0 for none), SOAK_HISTORY_PARTS (21, 0 for none)
 */
helpIfAsked(import.meta.url)
const MINUTES = Number(process.env.SOAK_MINUTES ?? 30)
const NUMBERS = Number(process.env.SOAK_NUMBERS ?? 20)
const RATE = Number(process.env.SOAK_RATE ?? 30)
const PEOPLE = Number(process.env.SOAK_PEOPLE ?? 50_000)
const GROUPS = Number(process.env.SOAK_GROUPS ?? 10)
const HISTORY_PARTS = Number(process.env.SOAK_HISTORY_PARTS ?? 21)
/** With 21 parts as many people as the network has; about 5 MB of each part when it is inflated. */
const HISTORY_CHATS = 2_400
const HISTORY_MESSAGES = 5
const HISTORY_MS = 600_000
/**
 * How much more resident memory the process may have while a history is read, including all that the collector has not
 * freed yet. Decoded, a history of this size takes several times as much.
 */
const HISTORY_PEAK_MB = 256
/** Each group gets a batch of messages out of order after as many messages of people. */
const BETWEEN_BATCHES = 20
const ORDER = [2, 0, 3, 1]
/** One of as many received messages is of a contact to whom the number writes too. */
const CONTACT_EVERY = 8
const REPORTS = 12
/** How much the heaps may grow in the second half of the time. */
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
const receiver = await startReceiver()
const stage = await openStage({ maxContacts: 2 * PEOPLE + 10_000 })
const { gateway, network, url, key } = stage
const digits = sandboxNumbers(3, NUMBERS)
const devices = await network.ask('pair', digits)
const webhookUrl = `http://127.0.0.1:${receiver.address().port}/hook`
const numbers = await gateway.ask('adopt', { devices, webhookUrl })
for (const { webhookId, secret } of numbers) secrets.set(webhookId, secret)
await gateway.ask('untilConnected', NUMBERS)
const groups = await createGroups()
console.log(
  `${NUMBERS} numbers, ${RATE} messages a second each way, ${MINUTES} minutes; ${PEOPLE} people, ${GROUPS} groups, ` +
    `histories of ${HISTORY_PARTS} parts with ${HISTORY_PARTS * HISTORY_CHATS} people`,
)

const lengthMs = MINUTES * 60_000
const serials = counter()
const histories = []
await Promise.all([work(lengthMs / 2), sendHistory(0)])
await untilQuiet()
const before = await gateway.ask('memory')
await Promise.all([work(lengthMs / 2), later(lengthMs / 8).then(() => sendHistory(HISTORY_PARTS))])
await untilQuiet()
const after = await gateway.ask('memory')
const failedParts = await countOf('history_sync_failed')
const held = await network.ask('read')
const unacknowledged = await network.ask('unacknowledged')
const unreadByDevices = await network.ask('unread')
await stage.close()
receiver.close()
receiver.closeAllConnections()
const eventKinds = [...kinds].map(([kind, n]) => `${n} ${kind}`).join(', ')
const result = {
  ...account(held),
  delivered: eventKinds,
  unacknowledged,
  unreadByDevices,
  ...faults,
  ...growth(),
  failedParts,
  histories: histories.map(({ names, peakMb }) => `${names} names learned, at most ${peakMb} MB more`).join('; '),
}
const hasLearned = histories.every(({ names }) => names >= HISTORY_PARTS * HISTORY_CHATS)
const isHistoryFlat = histories.every(({ peakMb }) => peakMb <= HISTORY_PEAK_MB)
for (const [name, value] of Object.entries(result)) console.log(`${name}: ${value}`)
const isConfirmed = unacknowledged === 0 && unreadByDevices === 0
process.exit(result.passed && isConfirmed && result.flat && hasLearned && isHistoryFlat ? 0 : 1)

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
      if (serial % BETWEEN_BATCHES === 0) void writeToGroup(serial / BETWEEN_BATCHES)
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

/** How many received stanzas ended for this reason. */
async function countOf(reason) {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`reason="${reason}"\\} (\\d+)`).exec(metrics)?.[1] ?? 0)
}

/** A person of the crowd. */
function personOf(serial) {
  return `1556${String(serial % PEOPLE).padStart(7, '0')}`
}

/** One group for each of the first numbers, with a member whose key the number has. */
async function createGroups() {
  const made = []
  for (let n = 0; n < Math.min(GROUPS, NUMBERS); n++) {
    const from = contactOf(n, 0)
    const group = await network.ask('group', { owner: from, members: [digits[n]] })
    incoming.set(await network.ask('write', { from, to: group, text: 'the key' }), 'group')
    made.push({ number: digits[n], from, group, writing: Promise.resolve() })
  }
  return made
}

/** The batches of a group follow each other: the network reorders one at a time. */
async function writeToGroup(batch) {
  if (groups.length === 0) return
  const into = groups[batch % groups.length]
  const texts = ORDER.map((_, nth) => `group-${batch}-${nth}`)
  const { writing: _writing, ...target } = into
  into.writing = into.writing.then(async () => {
    for (const id of await network.ask('writeOutOfOrder', { ...target, texts, order: ORDER })) incoming.set(id, 'group')
  })
  await into.writing
}

/** The phone of the first number sends a history of real size. Waits until its names are known, and measures the memory. */
async function sendHistory(firstPart) {
  if (HISTORY_PARTS === 0) return
  const [{ sessionId }] = numbers
  const beganWith = await gateway.ask('knownNames', sessionId)
  const wanted = HISTORY_PARTS * HISTORY_CHATS
  const baseline = (await gateway.ask('usage')).rss
  let [peak, names, sent] = [baseline, 0, 0]
  for (const untilMs = performance.now() + HISTORY_MS; names < wanted && performance.now() < untilMs; ) {
    // The network makes each part in one go, and answers nothing meanwhile: the parts must not follow each other at once.
    if (sent < HISTORY_PARTS && names >= (sent - 1) * HISTORY_CHATS) {
      const part = { first: (firstPart + sent) * HISTORY_CHATS, chats: HISTORY_CHATS, messages: HISTORY_MESSAGES }
      await network.ask('sendOldChats', { number: digits[0], ...part })
      sent++
    }
    await later(200)
    peak = Math.max(peak, (await gateway.ask('usage')).rss)
    names = (await gateway.ask('knownNames', sessionId)) - beganWith
  }
  histories.push({ names, peakMb: Math.round((peak - baseline) / MB) })
}

async function writeIn(serial) {
  const number = serial % NUMBERS
  const isContact = serial % CONTACT_EVERY === 0
  const from = isContact ? contactOf(number, Math.floor(serial / NUMBERS)) : personOf(serial)
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

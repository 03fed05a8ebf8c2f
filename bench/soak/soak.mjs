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
 * With SOAK_JOINED the first number is in as many groups, SOAK_BUSY of which have messages in both directions. Its chats are
 * archived, pinned and muted through the API and on the phone, and must be the same on both sides at the end; and it must
 * not query its groups again and again. With SOAK_KILLS the gateway is killed as often and started again: then memory is
 * not compared, no history is sent, and the same delivery may arrive twice.
 *
 *   npm run soak        SOAK_MINUTES (30), SOAK_NUMBERS (20), SOAK_RATE (30 messages a second each way),
 *                       SOAK_PEOPLE (50000), SOAK_GROUPS (10, 0 for none), SOAK_HISTORY_PARTS (21, 0 for none),
 *                       SOAK_JOINED (0; 1000 for many groups), SOAK_BUSY (50), SOAK_KILLS (0)
 */
helpIfAsked(import.meta.url)
const MINUTES = Number(process.env.SOAK_MINUTES ?? 30)
const NUMBERS = Number(process.env.SOAK_NUMBERS ?? 20)
const RATE = Number(process.env.SOAK_RATE ?? 30)
const PEOPLE = Number(process.env.SOAK_PEOPLE ?? 50_000)
const GROUPS = Number(process.env.SOAK_GROUPS ?? 10)
const JOINED = Number(process.env.SOAK_JOINED ?? 0)
const BUSY = Math.min(JOINED, Number(process.env.SOAK_BUSY ?? 50))
const KILLS = Number(process.env.SOAK_KILLS ?? 0)
const HISTORY_PARTS = KILLS > 0 ? 0 : Number(process.env.SOAK_HISTORY_PARTS ?? 21)
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
/** A busy group gets a message after as many messages of people, and one from the number after as many more. */
const BETWEEN_JOINED = 3
const BETWEEN_TO_JOINED = 10
/** A chat is changed after as many messages of people, by turns through the API and on the phone. */
const BETWEEN_CHANGES = 15
/** How long the chats may take to be the same on both sides. */
const AGREE_MS = 60_000
/** How often a process may query a busy group, and all groups. */
const QUERIES_OF_GROUP = 1
const OTHER_QUERIES = 10
/** A send that a killed gateway did not take is repeated after this time, and then after twice the time before. */
const RETRY_MS = { first: 200, longest: 5_000 }
const REPORTS = 12
/** How much the heaps may grow in the second half of the time. */
const GROWTH = 1.1
const QUIET_MS = 20_000
const MB = 1024 * 1024

const changes = { done: 0, chats: new Set() }

/** What an archived chat cannot be at the same time is left out. */
const CHANGES = [
  [{ archived: true }, { archived: true }],
  [{ muted_until: '2040-01-01T00:00:00Z' }, { mutedUntil: Date.UTC(2040, 0, 1) }],
  [{ archived: false }, { archived: false }],
  [{ pinned: true }, { pinned: true }],
  [{ muted_until: null }, { mutedUntil: null }],
  [{ pinned: false }, { pinned: false }],
]

const outgoing = new Map()
const incoming = new Map()
const posts = new Map()
const events = new Map()
const secrets = new Map()
const faults = { refused: 0, unsigned: 0, failedChanges: 0 }
const kinds = new Map()
let lastPostMs = 0

await build({ quiet: true })
const receiver = await startReceiver()
const stage = await openStage({ maxContacts: 2 * PEOPLE + 10_000 })
const { network, url, key } = stage
const digits = sandboxNumbers(3, NUMBERS)
const devices = await network.ask('pair', digits)
const webhookUrl = `http://127.0.0.1:${receiver.address().port}/hook`
const numbers = await stage.gateway.ask('adopt', { devices, webhookUrl })
for (const { webhookId, secret } of numbers) secrets.set(webhookId, secret)
await stage.gateway.ask('untilConnected', NUMBERS)
const groups = await createGroups()
const joined = await joinGroups()
// From this request on the gateway follows the chats of the number.
if (JOINED > 0) await ask(chatPath(''))
console.log(
  `${NUMBERS} numbers, ${RATE} messages a second each way, ${MINUTES} minutes; ${PEOPLE} people, ${GROUPS} groups, ` +
    `histories of ${HISTORY_PARTS} parts with ${HISTORY_PARTS * HISTORY_CHATS} people; ` +
    `one number in ${JOINED} groups, ${BUSY} of them busy; ${KILLS} kills`,
)

const lengthMs = MINUTES * 60_000
const serials = counter()
const histories = []
const killing = killOften()
await Promise.all([work(lengthMs / 2), sendHistory(0)])
await untilQuiet()
const before = await stage.gateway.ask('memory')
await Promise.all([work(lengthMs / 2), later(lengthMs / 8).then(() => sendHistory(HISTORY_PARTS))])
await killing
await untilQuiet()
const after = await stage.gateway.ask('memory')
const differentChats = await untilChatsAgree()
const groupQueries = await network.ask('groupQueries', digits[0])
const allowedQueries = (KILLS + 1) * (BUSY * QUERIES_OF_GROUP + OTHER_QUERIES)
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
  changedChats: changes.done,
  differentChats: differentChats.length,
  groupQueries: `${groupQueries} of at most ${allowedQueries} allowed`,
  histories: histories.map(({ names, peakMb }) => `${names} names learned, at most ${peakMb} MB more`).join('; '),
}
const hasLearned = histories.every(({ names }) => names >= HISTORY_PARTS * HISTORY_CHATS)
const isHistoryFlat = histories.every(({ peakMb }) => peakMb <= HISTORY_PEAK_MB)
for (const [name, value] of Object.entries(result)) console.log(`${name}: ${value}`)
for (const each of differentChats) console.log(JSON.stringify(each))
const isConfirmed = unacknowledged === 0 && unreadByDevices === 0
const isJoinedWell = JOINED === 0 || (differentChats.length === 0 && groupQueries <= allowedQueries && changes.done > 0)
const isFlat = KILLS > 0 || result.flat
process.exit(result.passed && isConfirmed && isFlat && hasLearned && isHistoryFlat && isJoinedWell ? 0 : 1)

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
      if (JOINED > 0) workInGroups(serial)
    }
    if (elapsedMs() > reportAtMs) {
      reportAtMs += ms / REPORTS
      // A killed gateway does not answer.
      const memory = await stage.gateway.ask('memory').then(describe, () => 'no memory known')
      console.log(`${outgoing.size} out, ${incoming.size} in, ${posts.size} events, ${memory}`)
    }
    await later(10)
  }
}

async function sendOut(serial) {
  const number = serial % NUMBERS
  const to = contactOf(number, Math.floor(serial / NUMBERS))
  await send({ session_id: numbers[number].sessionId, to, text: `out-${serial}` })
}

/** While the gateway or its numbers are down after a kill, a client repeats the request with the same key. */
async function send(body) {
  const request = { method: 'POST', headers: { 'idempotency-key': body.text }, body }
  let answer = await ask('/v1/messages', request)
  let waitMs = RETRY_MS.first
  while (KILLS > 0 && (answer === undefined || answer.status === 409 || answer.status >= 500)) {
    await later(waitMs)
    waitMs = Math.min(2 * waitMs, RETRY_MS.longest)
    answer = await ask('/v1/messages', request)
  }
  if (answer?.status !== 202) faults.refused++
  else outgoing.set(answer.json.request_id, body.text)
}

/** `undefined` if there was no answer. */
async function ask(path, { method = 'GET', headers = {}, body } = {}) {
  try {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, json: await answer.json() }
  } catch {
    return undefined
  }
}

/** Kills the gateway at even intervals, and starts it again. */
async function killOften() {
  for (let n = 1; n <= KILLS; n++) {
    await later(lengthMs / (KILLS + 1))
    await stage.gateway.kill()
    stage.start()
    await stage.gateway.ask('untilConnected', NUMBERS)
    console.log(`killed ${n} times, ${outgoing.size} out, ${incoming.size} in, ${posts.size} events`)
  }
}

/** The groups that the first number is in; only the busy ones have messages. */
async function joinGroups() {
  const members = Array.from({ length: JOINED }, (_, n) => `1557${String(n).padStart(7, '0')}`)
  const jids = JOINED === 0 ? [] : await network.ask('joinGroups', { number: digits[0], members })
  return jids.slice(0, BUSY).map((group, n) => ({ group, from: members[n] }))
}

/** Messages in both directions in the busy groups, and changes of chats on both sides. */
function workInGroups(serial) {
  const { group, from } = joined[serial % BUSY]
  if (serial % BETWEEN_JOINED === 0)
    void network.ask('write', { from, to: group, text: `joined-${serial}` }).then(id => incoming.set(id, 'joined'))
  if (serial % BETWEEN_TO_JOINED === 0)
    void send({ session_id: numbers[0].sessionId, to: group, text: `to-joined-${serial}` })
  if (serial % BETWEEN_CHANGES === 0) void changeChat(serial / BETWEEN_CHANGES)
}

/** Of each chat the API makes one change, and the phone the next one. */
async function changeChat(nth) {
  const chat = contactOf(0, nth)
  changes.chats.add(chat)
  const [byApi, onPhone] = CHANGES[Math.floor(nth / 2) % CHANGES.length]
  if (nth % 2 === 1) {
    await network.ask('changeChat', { number: digits[0], chat, change: onPhone })
    changes.done++
    return
  }
  const answer = await ask(chatPath(chat), { method: 'PATCH', body: byApi })
  if (answer?.status === 200) changes.done++
  // Without a connection, or if the kill came in between, the change is not made.
  else if (KILLS === 0 || ![undefined, 409, 502].includes(answer?.status)) faults.failedChanges++
}

function chatPath(chat) {
  return `/v1/sessions/${encodeURIComponent(numbers[0].sessionId)}/chats${chat && `/${chat}`}`
}

/** The chats that the gateway shows otherwise than the phone, once they have had the time to become the same. */
async function untilChatsAgree() {
  const chats = [...changes.chats]
  if (chats.length === 0) return []
  for (const untilMs = performance.now() + AGREE_MS; ; ) {
    const shown = await network.ask('shownChats', { number: digits[0], chats })
    const different = []
    for (const [n, chat] of chats.entries()) {
      const { archived, pinned, muted_until: muted } = (await ask(chatPath(chat)))?.json ?? {}
      const here = { archived, pinned, mutedUntil: muted ? Date.parse(muted) : null }
      const onPhone = { archived: shown[n].archived, pinned: shown[n].pinned, mutedUntil: shown[n].mutedUntil }
      if (JSON.stringify(here) !== JSON.stringify(onPhone)) different.push({ chat, here, onPhone })
    }
    if (different.length === 0 || performance.now() > untilMs) return different
    await later(1_000)
  }
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
  const beganWith = await stage.gateway.ask('knownNames', sessionId)
  const wanted = HISTORY_PARTS * HISTORY_CHATS
  const baseline = (await stage.gateway.ask('usage')).rss
  let [peak, names, sent] = [baseline, 0, 0]
  for (const untilMs = performance.now() + HISTORY_MS; names < wanted && performance.now() < untilMs; ) {
    // The network makes each part in one go, and answers nothing meanwhile: the parts must not follow each other at once.
    if (sent < HISTORY_PARTS && names >= (sent - 1) * HISTORY_CHATS) {
      const part = { first: (firstPart + sent) * HISTORY_CHATS, chats: HISTORY_CHATS, messages: HISTORY_MESSAGES }
      await network.ask('sendOldChats', { number: digits[0], ...part })
      sent++
    }
    await later(200)
    peak = Math.max(peak, (await stage.gateway.ask('usage')).rss)
    names = (await stage.gateway.ask('knownNames', sessionId)) - beganWith
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
  const isRepeated = posts.has(deliveryId)
  posts.set(deliveryId, (posts.get(deliveryId) ?? 0) + 1)
  // After a kill, a delivery whose answer was not stored is repeated.
  if (isRepeated && KILLS > 0) return
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
  // Phones show a message that arrives again under the same id once: after a kill that is allowed.
  for (const { text, copies: n } of held) copies.set(text, (copies.get(text) ?? 0) + (KILLS > 0 ? 1 : n))
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
  const { sent, received, doubledDeliveries, ...wrong } = counts
  if (KILLS === 0) wrong.doubledDeliveries = doubledDeliveries
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

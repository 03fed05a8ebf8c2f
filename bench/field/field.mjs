import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from '../../scripts/build.mjs'
import { later, startChild } from '../shared/child.mjs'
import { ALLOWED_BY_VERSION, TROUBLES } from './troubles.mjs'
import { helpIfAsked } from '../../scripts/shared/help.mjs'

/**
 * All difficulties of the platform at the same time: every contact has three devices, one of them dead; half of the
 * contacts have only a hidden id; logins and streams end with every known code, one number each; and in the middle
 * the platform accepts only a newer version of the client. Every accepted send must end in an event with its
 * outcome, and no number may try to log in more often than its failure allows. Exits with 1
 * otherwise.
 *
 *   npm run field                   FIELD_SECONDS (180), FIELD_HEALTHY (6 numbers without a failure)
 */
helpIfAsked(import.meta.url)
const SECONDS = Number(process.env.FIELD_SECONDS ?? 180)
const HEALTHY = Number(process.env.FIELD_HEALTHY ?? 6)
const CONTACTS = 4
/** The interval between two messages of a number. */
const EACH_MS = 1_500
const MEND_AFTER_MS = 20_000
const SETTLE_MS = 150_000

const accepted = new Map()
const ended = new Map()
const doubled = []
const refusals = new Map()
let eventCount = 0

await build({ quiet: true })
const dataDir = mkdtempSync(join(tmpdir(), 'postern-field-'))
const receiver = await startReceiver()
const network = startChild(new URL('./network.mjs', import.meta.url))
const address = await network.ask('open')
const gateway = startChild(new URL('../shared/sandbox-gateway.mjs', import.meta.url), {
  POSTERN_DATA_DIR: dataDir,
  POSTERN_PORT: '0',
  POSTERN_ROLES: 'api,worker,dispatcher',
  POSTERN_SANDBOX: 'on',
  POSTERN_LOG_LEVEL: process.env.FIELD_LOG ?? 'error',
})
await gateway.ask('findNetwork', address)
const { url, key } = await gateway.ask('register')
const troubles = [...TROUBLES, ...Array.from({ length: HEALTHY }, () => null)]
const digits = troubles.map((_, n) => `9997${100_000 + n}`)
const devices = await network.ask('pair', digits)
const webhookUrl = `http://127.0.0.1:${receiver.address().port}/hook`
const numbers = await gateway.ask('adopt', { devices, webhookUrl })
const contacts = digits.map((_, n) => Array.from({ length: CONTACTS }, (_, c) => contactDigits(n, c)))
const addresses = await network.ask('people', contacts.flat())
const groups = await network.ask(
  'groups',
  digits.map((number, n) => ({ owner: contacts[n][0], members: [number, ...contacts[n]] })),
)
await gateway.ask('untilConnected', numbers.length)
const began = await network.ask('logins', digits)
console.log(
  `${numbers.length} numbers, ${TROUBLES.length} with a failure each; ${contacts.flat().length} contacts with 3 ` +
    `devices, one of them dead, half of them with only a hidden id; ${SECONDS} s`,
)

const result = await run()
await gateway.stop()
await network.stop()
receiver.close()
receiver.closeAllConnections()
rmSync(dataDir, { recursive: true, force: true })
for (const [name, value] of Object.entries(result)) console.log(`${name}: ${value}`)
process.exit(result.passed ? 0 : 1)

/** Half of the contacts hide their number. */
function contactDigits(number, contact) {
  return `1555${String(number).padStart(3, '0')}${contact}${contact % 2 === 0 ? '0461' : '0011'}`
}

async function run() {
  const lengthMs = SECONDS * 1_000
  const writing = work(lengthMs)
  await later(lengthMs * 0.15)
  // Numbers that lose their device have a message that waits, so that at least these messages fail.
  const sendAt = new Date(Date.now() + lengthMs * 0.3).toISOString()
  for (const [n, trouble] of troubles.entries())
    if (trouble?.mends === 'never') await send(n, addresses[n * CONTACTS], `waiting-${n}`, { send_at: sendAt })
  for (const [n, trouble] of troubles.entries())
    if (trouble) await network.ask('trouble', { ...trouble, number: digits[n] })
  await later(Math.min(MEND_AFTER_MS, lengthMs * 0.15))
  const restarts = troubles.flatMap((trouble, n) => (trouble?.mends === 'restart' ? [post(restartPath(n))] : []))
  await Promise.all(restarts)
  await later(lengthMs * 0.2)
  const beforeAge = await network.ask('logins', digits)
  await network.ask('age', digits)
  await writing
  await untilEnded()
  return await account(beforeAge)
}

function restartPath(n) {
  return `/v1/sessions/${encodeURIComponent(numbers[n].sessionId)}/restart`
}

async function post(path, body) {
  const sent = body && { 'content-type': 'application/json' }
  const headers = { authorization: `Bearer ${key}`, ...sent }
  return await fetch(url + path, { method: 'POST', headers, body: body && JSON.stringify(body) })
}

/** Every number writes to its contacts and its group in turn, whatever its state. */
async function work(ms) {
  const endsAt = performance.now() + ms
  let serial = 0
  while (performance.now() < endsAt) {
    const n = serial % numbers.length
    const turn = Math.floor(serial / numbers.length) % (CONTACTS + 1)
    const to = turn === CONTACTS ? groups[n] : addresses[n * CONTACTS + turn]
    void send(n, to, `field-${serial}`)
    serial += 1
    await later(EACH_MS / numbers.length)
  }
}

async function send(n, to, text, rest = {}) {
  const body = { session_id: numbers[n].sessionId, to, text, ...rest }
  const answer = await post('/v1/messages', body).catch(() => undefined)
  if (answer?.status !== 202) refusals.set(answer?.status, (refusals.get(answer?.status) ?? 0) + 1)
  else {
    const { message_id: id } = await answer.json()
    accepted.set(id, { n, kind: kindOf(to) })
  }
}

async function startReceiver() {
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      note(JSON.parse(Buffer.concat(chunks).toString()))
      response.writeHead(200).end()
    })
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return server
}

function note(event) {
  eventCount += 1
  if (event.kind !== 'status') return
  if (ended.has(event.message_id)) doubled.push(event.message_id)
  ended.set(event.message_id, event)
}

async function untilEnded() {
  const deadline = performance.now() + SETTLE_MS
  while (performance.now() < deadline && [...accepted.keys()].some(id => !ended.has(id))) await later(250)
  await later(2_000)
}

async function account(beforeAge) {
  const logins = await network.ask('logins', digits)
  const held = await network.ask('held')
  const copies = new Map()
  for (const { id, onOther } of held) copies.set(id, [...(copies.get(id) ?? []), onOther])
  const sent = [...ended.values()].filter(({ message_id: id, status }) => status === 'sent' && accepted.has(id))
  const failed = [...ended.values()].filter(({ message_id: id, status }) => status === 'failed' && accepted.has(id))
  const missing = sent.filter(({ messenger_message_id: id }) => !copies.has(id))
  const unread = sent.filter(({ messenger_message_id: id }) => copies.get(id)?.some(onOther => !onOther))
  const reasons = new Map()
  for (const { reason, detail, message_id: id } of failed) {
    const why = `${reason} to ${accepted.get(id).kind} (${detail})`
    reasons.set(why, (reasons.get(why) ?? 0) + 1)
  }
  const tooOften = troubles.flatMap((trouble, n) => {
    const allowed = (trouble?.allowed ?? 0) + (trouble?.mends === 'never' ? 0 : ALLOWED_BY_VERSION)
    const tried = logins[n] - began[n]
    return tried > allowed ? [`${trouble?.name ?? 'no trouble'}: ${tried} of ${allowed}`] : []
  })
  const lost = [...accepted.keys()].filter(id => !ended.has(id))
  const early = await network.ask('earlyLogins', digits)
  const hard = accepted.size > 0 && sent.length > 0 && failed.length > 0
  return {
    passed: hard && [lost, missing, unread, doubled, tooOften].every(list => list.length === 0) && early === 0,
    accepted: `${accepted.size} (${count('a hidden id')} to hidden ids, ${count('a group')} to groups)`,
    refused: [...refusals].map(([status, n]) => `${n} with ${status}`).join(', ') || 'none',
    sent: sent.length,
    failed: [...reasons].map(([reason, n]) => `${n} ${reason}`).join(', ') || 'none',
    'without an end': lost.length,
    'ended twice': doubled.length,
    'sent and not at the phone': missing.length,
    'sent and not at the living device beside it': unread.length,
    'logins after each trouble': troubles
      .map((trouble, n) => trouble && `${trouble.name} ${beforeAge[n] - began[n]} of ${trouble.allowed}`)
      .filter(Boolean)
      .join(', '),
    'logins after the versions aged': `${logins.reduce((sum, n, i) => sum + n - beforeAge[i], 0)} of ${digits.length} numbers`,
    'logins before a ban was over': early,
    'tried more often than allowed': tooOften.join('; ') || 'none',
    events: eventCount,
  }
}

function kindOf(to) {
  return to.endsWith('@g.us') ? 'a group' : to.endsWith('@lid') ? 'a hidden id' : 'a number'
}

function count(kind) {
  return [...accepted.values()].filter(one => one.kind === kind).length
}

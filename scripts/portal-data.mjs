import { laneOf, shardOf } from '../dist/domain/delivery.js'
import { dedupeIdOf } from '../dist/domain/event.js'
import { firstIdAt, makeId } from '../dist/domain/ids.js'
import { aboutEvent, aboutWebhook } from '../dist/domain/sealed.js'
import { openDatabase } from '../dist/store/sqlite/driver.js'
import { databasePath } from '../dist/store/sqlite/data-folder.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LABELS = [
  'Support',
  'Orders',
  'Berlin store',
  'Paris store',
  'Returns',
  'Billing',
  'Field service',
  'Reservations',
]
const HOOKS = 'https://api.acme.example/hooks/whatsapp'
/** The percentage of each state or result. */
const MESSAGE_STATES = { read: 62, delivered: 22, sent: 8, played: 3, failed: 3, queued: 1, cancelled: 1 }
const RESULTS = { delivered: 88, failed: 6, pending: 6 }

/** The owner of generated numbers, which no worker hosts. */
const ELSEWHERE = { id: 'node_elsewhere', node_id: 'node_elsewhere', pool: 'elsewhere', leases: 0, room: 0, beat: 1 }

let serial = 0
/** An id of that time, even if a later one was created before. */
const idAt = (prefix, ms) => `${firstIdAt(prefix, ms)}${String(++serial).padStart(16, '0')}`

/** Seeded, so that the screenshots change only with the portal. */
function createRandom(seed = 7) {
  let state = seed
  const below = n => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % n
  }
  const pick = list => list[below(list.length)]
  const weighted = weights => {
    let at = below(100)
    return Object.keys(weights).find(name => (at -= weights[name]) < 0) ?? Object.keys(weights)[0]
  }
  return { below, pick, weighted }
}

/** Fills an account with a month of data, directly in the embedded database of a gateway. */
export function fillPortal({ dataDir, accountId, seal, numbers, messages, history, deadLetters }) {
  const database = openDatabase(databasePath(dataDir), { readOnly: false, timeoutMs: 60_000 })
  const world = { insert: makeInsert(database), random: createRandom(), accountId, seal, nowMs: Date.now() }
  database.exec('begin immediate')
  fillVersion(world)
  const sessions = fillNumbers(world, numbers)
  fillMessages(world, sessions, messages)
  fillHistory(world, sessions, history)
  fillDeadLetters(world, sessions, deadLetters)
  fillUsage(world)
  database.exec('commit')
  database.exec('analyze')
  database.close()
  return sessions
}

function makeInsert(database) {
  const statements = new Map()
  return (table, row) => {
    const columns = Object.keys(row)
    const sql = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`
    if (!statements.has(sql)) statements.set(sql, database.prepare(sql))
    statements.get(sql).run(...Object.values(row))
  }
}

/** Just confirmed, so that the gateway does not look for a newer version during the screenshots. */
function fillVersion({ insert, nowMs }) {
  insert('platform_versions', {
    platform: 'whatsapp',
    revision: 1_051_204_518,
    source: 'page',
    learnt_at: nowMs - 9 * HOUR_MS,
    confirmed_at: nowMs,
  })
}

function fillNumbers({ insert, accountId, seal, nowMs }, count) {
  insert('holders', { ...ELSEWHERE, lasts_until: nowMs + 30 * DAY_MS })
  return Array.from({ length: count }, (_, i) => {
    const phone = `1555${String(2_000_000 + i * 7_919)}`
    const id = `${phone}@s.whatsapp.net`
    const state = i === 3 ? 'disconnected' : i === 6 ? 'logged_out' : 'connected'
    const label = LABELS[i] ?? (i % 3 === 0 ? '' : `${LABELS[i % LABELS.length]} ${Math.floor(i / LABELS.length) + 1}`)
    insert('sessions', {
      id,
      account_id: accountId,
      phone,
      device: 4,
      label,
      platform: 'whatsapp',
      state,
      auto_reject: 0,
      restricted_until: i === 4 ? nowMs + 6 * HOUR_MS : null,
      created_at: nowMs - 40 * DAY_MS,
      connected_at: nowMs - (i + 1) * 5 * HOUR_MS,
      last_event_at: nowMs - i * 97_000,
    })
    // Leased permanently by another owner, so that no worker takes a generated number.
    insert('leases', { kind: 'session', id, owner: ELSEWHERE.id, epoch: 1, pool: null, changed_at: nowMs })
    const webhook = makeId('wh')
    insert('webhooks', {
      id: webhook,
      account_id: accountId,
      session_id: id,
      phone,
      messages_url: `${HOOKS}/messages`,
      status_url: `${HOOKS}/status`,
      connection_url: `${HOOKS}/connection`,
      events_url: i % 2 === 0 ? `${HOOKS}/events` : '',
      secret: seal.seal(`whsec_${'s'.repeat(43)}`, aboutWebhook(webhook)),
      active: state === 'logged_out' ? 0 : 1,
      created_at: nowMs - 39 * DAY_MS,
      updated_at: nowMs - 2 * DAY_MS,
    })
    return { id, phone, webhook }
  })
}

function fillMessages({ insert, random, accountId, nowMs }, sessions, count) {
  const stepMs = Math.floor((29 * DAY_MS) / Math.max(1, count))
  for (let i = count; i > 0; i--) {
    const at = nowMs - i * stepMs
    const id = idAt('msg', at)
    const state = random.weighted(MESSAGE_STATES)
    insert('messages', {
      id,
      account_id: accountId,
      session_id: random.pick(sessions).id,
      request_id: i % 3 === 0 ? id : `order-${100_000 + i}`,
      recipient: `1555${String(1_000_000 + random.below(9_000_000))}@s.whatsapp.net`,
      type: random.pick(['text', 'text', 'text', 'image', 'document', 'buttons', 'location']),
      state,
      platform_id: `3EB0${i.toString(16).padStart(18, '0').toUpperCase()}`,
      reason: state === 'failed' ? random.pick(['INVALID_RECIPIENT', 'MEDIA_FAILED', 'RETRIES_EXHAUSTED']) : null,
      detail: null,
      created_at: at,
      updated_at: at + 2_000,
    })
    for (const [step, name] of statesUpTo(state).entries())
      insert('message_states', { message_id: id, state: name, recipient: '', at: at + step * 900 })
  }
}

const PATH = ['queued', 'sent', 'delivered', 'read', 'played']
const statesUpTo = state => (PATH.includes(state) ? PATH.slice(0, PATH.indexOf(state) + 1) : ['queued', state])

const KINDS = [
  { kind: 'message', event_type: 'incoming_message', category: 'messages' },
  { kind: 'receipt', event_type: 'message_status', category: 'status' },
  { kind: 'receipt', event_type: 'message_status', category: 'status' },
  { kind: 'status', event_type: 'message_status', category: 'status' },
  { kind: 'connection', event_type: 'connection_status', category: 'connection' },
  { kind: 'call', event_type: 'other', category: 'events' },
]

function entryOf({ random, accountId }, sessions, at) {
  const { id: session, webhook } = random.pick(sessions)
  const kind = random.pick(KINDS)
  const other = `1555${String(1_000_000 + random.below(9_000_000))}@s.whatsapp.net`
  const event = redactedOf(kind.kind, session, other, at)
  const eventId = idAt('evt', at)
  return {
    id: idAt('dlv', at),
    account_id: accountId,
    event_id: eventId,
    webhook_id: webhook,
    session_id: session,
    ...kind,
    dedupe_id: dedupeIdOf(event, eventId),
    origin: 'event',
    created_at: at,
    redacted: JSON.stringify(event),
  }
}

function redactedOf(kind, session, other, at) {
  const common = { kind, session_id: session, timestamp_unix: Math.floor(at / 1000) }
  if (kind === 'receipt')
    return {
      ...common,
      recipient_jid: other,
      request_id: 'order-7',
      messenger_message_id: '3EB0A1B2C3',
      receipt_type: 'read',
    }
  if (kind === 'status')
    return {
      ...common,
      request_id: 'order-7',
      message_id: idAt('msg', at),
      messenger_message_id: '3EB0A1B2C3',
      to: other,
      status: 'sent',
    }
  if (kind === 'connection') return { ...common, event: 'connected' }
  if (kind === 'call')
    return { ...common, call_id: 'A1B2C3', from_jid: other, event: 'offer', video: false, rejected: false }
  return {
    ...common,
    message_id: `3EB0${at}`,
    chat_jid: other,
    sender_jid: other,
    sender_name: '[redacted: 12 bytes]',
    is_group: false,
    broadcast: false,
    type: 'text',
    text: '[redacted: 148 bytes]',
  }
}

const attempt = (n, atMs, code, latencyMs) => ({
  attempt: n,
  atMs,
  delivered: code !== null && code < 300,
  code,
  latencyMs,
  error: code === null ? 'timeout' : code >= 500 ? 'http_5xx' : code >= 400 ? 'http_4xx' : null,
  excerpt: code !== null && code >= 500 ? '{"error":"upstream connect error or disconnect/reset before headers"}' : '',
})

function fillHistory(world, sessions, count) {
  const { insert, random, accountId, nowMs } = world
  for (let i = count; i > 0; i--) {
    const at = nowMs - i * Math.floor((20 * HOUR_MS) / Math.max(1, count))
    const status = i > 12 ? 'delivered' : random.weighted(RESULTS)
    const latency = 40 + random.below(180) + (random.below(20) === 0 ? 900 : 0)
    const attempts = []
    if (status === 'failed' || (status === 'delivered' && random.below(25) === 0))
      attempts.push(attempt(1, at, 503, 240))
    if (status === 'delivered') attempts.push(attempt(attempts.length + 1, at + 300, 200, latency))
    const entry = { ...entryOf(world, sessions, at), attempts: JSON.stringify(attempts), updated_at: at + 400 }
    if (status === 'delivered') insert('history', { ...entry, slot: (count - i + 1) % 500 })
    else insert('deliveries', { ...entry, ...queued(entry, attempts.length, nowMs + 25 * 60_000) })
  }
  insert('history_heads', { account_id: accountId, seq: count })
}

const queued = ({ webhook_id, category }, attempt, due_at) => ({
  attempt,
  due_at,
  shard: shardOf(webhook_id),
  lane: laneOf(webhook_id, category),
  bytes: 300,
  sealed: null,
})

function fillDeadLetters(world, sessions, count) {
  const { insert, nowMs } = world
  for (let i = count; i > 0; i--) {
    const at = nowMs - i * 3 * HOUR_MS
    const codes = i % 3 === 0 ? [null, null, 503, 503] : [503, 503, 500, 503]
    const entry = entryOf(world, sessions, at)
    insert('events', { ...payloadOf(world, entry), pending: 0 })
    insert('dead_letters', {
      ...entry,
      reason: 'attempts_exhausted',
      attempts: JSON.stringify(
        codes.map((code, n) => attempt(n + 1, at + [0, 30, 330, 2_130][n] * 1000, code, code ? 180 : 10_000)),
      ),
      updated_at: at + 2_140_000,
      redelivered_at: null,
    })
  }
}

/** The payload of a dead letter, for a resend. */
const payloadOf = (
  { accountId, seal },
  { event_id, session_id, kind, category, event_type, dedupe_id, created_at },
) => ({
  id: event_id,
  account_id: accountId,
  session_id,
  kind,
  category,
  history_type: event_type,
  dedupe_id,
  bytes: 2,
  created_at,
  sealed: seal.seal('{}', aboutEvent(event_id)),
})

/** More by day than by night, less at the weekend, and one bad afternoon. */
function fillUsage({ insert, random, accountId, nowMs }) {
  const perDay = new Map()
  for (let hour = Math.floor(nowMs / HOUR_MS) - 29 * 24; hour <= Math.floor(nowMs / HOUR_MS); hour++) {
    const date = new Date(hour * HOUR_MS)
    const light = Math.max(0.08, Math.sin(((date.getUTCHours() - 5) / 15) * Math.PI))
    const weekend = date.getUTCDay() % 6 === 0 ? 0.45 : 1
    const sent = Math.round(light * weekend * (140 + random.below(60)))
    const bad = Math.floor(nowMs / HOUR_MS) - hour < 9 && Math.floor(nowMs / HOUR_MS) - hour > 6
    const counts = {
      accepted: sent + Math.round(sent / 40),
      sent,
      failed: Math.round(sent / 40),
      received: Math.round(sent * 0.62),
      deliveries: Math.round(sent * 3.1),
      delivery_failed: bad ? Math.round(sent / 3) : Math.round(sent / 60),
    }
    const day = date.toISOString().slice(0, 10)
    for (const [metric, n] of Object.entries(counts)) {
      insert('usage_hours', { account_id: accountId, hour, metric, n })
      perDay.set(`${day} ${metric}`, (perDay.get(`${day} ${metric}`) ?? 0) + n)
    }
  }
  for (const [key, n] of perDay) {
    const [day, metric] = key.split(' ')
    insert('usage_days', { account_id: accountId, day, metric, n })
  }
}

import { createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Pool } from 'undici'
import { Seal } from '../../dist/store/seal.js'
import { eachOf } from '../shared/child.mjs'
import { textEvent } from '../shared/text-event.mjs'
import { openTables } from './tables.mjs'

/**
 * The least that delivers stored events durably: read, open, sign, post, a result and a redacted entry of the history,
 * both in group commits with fsync.
 */
const IN_FLIGHT = 512
const READ = 256
const SECRET = `whsec_${'s'.repeat(43)}`
const place = name => ({
  databaseUrl: process.env.POSTERN_DATABASE_URL,
  path: join(process.env.POSTERN_DATA_DIR, `${name}.db`),
})
const seal = new Seal([randomBytes(32)])
const deliveries = await openTables(place('deliveries'), {
  deliveries: [
    ['id', 'text'],
    ['webhook_id', 'text'],
    ['due_at', 'bigint'],
    ['payload', 'blob'],
  ],
})
const results = await openTables(place('results'), {
  results: [
    ['id', 'text'],
    ['status', 'bigint'],
    ['ended_at', 'bigint'],
  ],
  history: [
    ['id', 'text'],
    ['webhook_id', 'text'],
    ['entry', 'text'],
  ],
})
let pools = []
let serial = 0
let after = ''

/** Stores events, then delivers them all. */
async function drain(count) {
  await eachOf(Array.from({ length: count }), 1_000, store)
  const began = performance.now()
  const cpu = process.cpuUsage()
  let done = 0
  const ready = []
  const deliverNext = async () => {
    for (;;) {
      if (ready.length === 0) await readMore(ready)
      const row = ready.shift()
      if (row === undefined) return
      await deliver(row)
      done++
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, deliverNext))
  const { user, system } = process.cpuUsage(cpu)
  if (done !== count) throw new Error(`delivered ${done} of ${count}`)
  return { rate: (count / (performance.now() - began)) * 1000, cpuMicros: (user + system) / count }
}

async function store() {
  const id = `dlv_${String(serial++).padStart(12, '0')}`
  const event = textEvent('999100200300@s.whatsapp.net', id)
  await deliveries.insert({
    deliveries: [id, String(serial % pools.length), Date.now(), seal.seal(JSON.stringify(event), id)],
  })
}

let reading
function readMore(ready) {
  reading ??= deliveries.read('deliveries', after, READ).then(rows => {
    after = rows.at(-1)?.id ?? after
    ready.push(...rows)
    reading = undefined
  })
  return reading
}

async function deliver({ id, webhook_id: webhook, payload }) {
  const body = seal.open(payload, id)
  const t = String(Math.floor(Date.now() / 1000))
  const v1 = createHmac('sha256', SECRET).update(`${t}.`).update(body).digest('hex')
  const status = await post(pools[Number(webhook)], body, {
    'content-type': 'application/json',
    'x-webhook-id': webhook,
    'x-message-id': id,
    'x-timestamp': t,
    'x-webhook-signature': `t=${t},v1=${v1}`,
  })
  const { kind, message_id, session_id } = JSON.parse(body)
  const entry = JSON.stringify({ kind, message_id, session_id, status })
  await results.insert({ results: [id, status, Date.now()], history: [id, webhook, entry] })
}

const post = (pool, body, headers) =>
  new Promise((resolve, reject) => {
    let status = 0
    pool.dispatch(
      { path: '/hook', method: 'POST', headers, body },
      {
        onRequestStart() {},
        onResponseStart: (_controller, code) => void (status = code),
        onResponseData() {},
        onResponseEnd: () => resolve(status),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })

async function obey(message) {
  if (message.ports) {
    pools = message.ports.map(port => new Pool(`http://127.0.0.1:${port}`, { connections: 32 }))
    process.send({ subscribed: true })
  }
  if (message.drain) process.send(await drain(message.drain))
}

process.on('message', message => void obey(message))
process.send({ ready: true })

import { createHash } from 'node:crypto'
import { openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeEvent } from '../dist/actions/make-event.js'
import { readConfig } from '../dist/config.js'
import { createContext } from '../dist/context.js'
import { createDispatcher } from '../dist/dispatcher/dispatcher.js'

/**
 * A process that is there to be killed: it publishes events, delivers them, or both. Every event is written down
 * before it is tried, and again once its commit is known; a process that dies in between leaves the second out.
 */
const { folder, roles, rate, generation } = JSON.parse(process.env.LEDGER)
delete process.env.LEDGER
const { accounts } = JSON.parse(readFileSync(join(folder, 'setup.json'), 'utf8'))
const context = await createContext(readConfig(process.env))
const tried = openSync(join(folder, 'tried'), 'a')
const committed = openSync(join(folder, 'committed'), 'a')
const stopping = new AbortController()
let producing = roles.includes('producer')
let serial = 0

async function publishOne() {
  const n = serial++
  const { accountId, sessionId, number } = accounts[n % accounts.length]
  const id = `${generation}-${n}-${number}`
  const event = {
    kind: 'message',
    message_id: id,
    session_id: sessionId,
    sender_jid: '15550001111@s.whatsapp.net',
    sender_name: 'Ada',
    chat_jid: '15550001111@s.whatsapp.net',
    is_group: false,
    broadcast: false,
    type: 'text',
    text: `${id} `.repeat(40),
    timestamp_unix: Math.floor(Date.now() / 1000),
  }
  const hash = createHash('sha256').update(JSON.stringify(event)).digest('hex')
  writeSync(tried, `${id} ${hash}\n`)
  await context.store.publishEvent(makeEvent(context, accountId, event))
  writeSync(committed, `${id}\n`)
}

async function produce() {
  const began = performance.now()
  for (let sent = 0; producing; ) {
    for (; sent < ((performance.now() - began) / 1000) * rate; sent++) publishOne().catch(() => {})
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

/** A result that came after its shard had another owner: that owner sends the delivery again. */
const store = {
  ...context.store,
  recordAttempt: async result => {
    const answer = await context.store.recordAttempt(result)
    if (answer.kind === 'stale') process.send({ stale: true })
    return answer
  },
}
const ended = roles.includes('dispatcher')
  ? createDispatcher({ ...context, store }).run(stopping.signal)
  : Promise.resolve()
if (producing) void produce()
async function obey(message) {
  if (message === 'stop producing') producing = false
  if (message === 'depth') {
    const depth = await context.store.readDeliveryDepth(null).catch(() => ({ queued: -1 }))
    process.send({ queued: depth.queued })
  }
  if (message === 'stop') {
    stopping.abort()
    await ended
    await context.close()
    process.exit(0)
  }
}

process.on('message', message => void obey(message))
process.send({ ready: true })

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeEvent } from '../dist/actions/make-event.js'
import { readConfig } from '../dist/config.js'
import { createContext } from '../dist/context.js'
import { createDispatcher } from '../dist/dispatcher/dispatcher.js'
import { makeId } from '../dist/domain/ids.js'

/**
 * Scheduled retries in number: every event fails once, so each has a retry that is due later. Counts the ones that
 * started before they were due, by the database's clock, and how late the others were.
 *
 *   node bench/retries.mjs [events, 100000] [a second, 500]
 */
const EVENTS = Number(process.argv[2] ?? 100_000)
const RATE = Number(process.argv[3] ?? 500)
const ENDPOINTS = 100
const seen = new Set()
const receiver = createServer((request, response) => {
  request.resume().on('end', () => {
    const id = request.headers['x-message-id']
    response.writeHead(seen.has(id) ? 200 : 500).end()
    seen.add(id)
  })
})
await new Promise(resolve => receiver.listen(0, '127.0.0.1', resolve))

const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))
const context = await createContext(
  readConfig({ POSTERN_DATA_DIR: dataDir, POSTERN_LOG_LEVEL: 'warn', POSTERN_RETRY_DELAYS: '30s,30s,30s' }),
)
const { store, seal } = context
const dueAt = new Map()
const late = []
let done = 0
const watched = {
  ...store,
  recordAttempt: async result => {
    const due = dueAt.get(result.deliveryId)
    if (due !== undefined) late.push(JSON.parse(result.attempts).at(-1).atMs - due)
    const answer = await store.recordAttempt(result)
    if (answer.dueAt !== null) dueAt.set(result.deliveryId, answer.dueAt)
    else done++
    return answer
  },
}

const accountId = makeId('acc')
const account = { id: accountId, name: 'bench', plan: 'max', limitOverrides: {}, user: null, key: null }
await store.createAccount({ ...account, acceptTosVersion: '2026-01' })
const sessions = []
for (let i = 0; i < ENDPOINTS; i++) {
  const id = makeId('wh')
  const phone = String(999_200_000 + i)
  const urls = { messages: `http://127.0.0.1:${receiver.address().port}/${i}`, status: '', connection: '', events: '' }
  sessions.push(`${phone}@s.whatsapp.net`)
  const sealedSecret = seal.seal('whsec_bench', `webhook:${id}`)
  await store.createWebhook({ id, accountId, sessionId: sessions[i], phone, urls, sealedSecret })
}
const stopping = new AbortController()
const ended = createDispatcher({ ...context, store: watched }).run(stopping.signal)

const began = performance.now()
for (let sent = 0; sent < EVENTS; ) {
  const target = Math.min(EVENTS, ((performance.now() - began) / 1000) * RATE)
  for (; sent < target; sent++) {
    const session_id = sessions[sent % ENDPOINTS]
    const event = { kind: 'message', message_id: `m${sent}`, session_id, type: 'text', text: 'x'.repeat(500) }
    void store.publishEvent(makeEvent({ seal }, accountId, event))
  }
  await later(5)
}
while (done < EVENTS) await later(50)
const at = share => late.sort((a, b) => a - b)[Math.min(late.length - 1, Math.floor(late.length * share))]
console.log(
  `${late.length} retries: ${late.filter(ms => ms < 0).length} early, p50 ${at(0.5)} ms late, p99 ${at(0.99)} ms, max ${at(1)} ms`,
)
stopping.abort()
await ended
await context.close()
receiver.close()
receiver.closeAllConnections()
rmSync(dataDir, { recursive: true, force: true })

function later(ms) {
  return new Promise(resolve => setTimeout(resolve, ms))
}

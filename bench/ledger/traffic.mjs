import { later } from '../shared/child.mjs'
import { UNLIMITED } from '../shared/unlimited.mjs'

const NUMBERS = 3
const EVERY_MS = 150

/**
 * A customer who uses the API: sends messages from sandbox numbers, each with a separate Idempotency-Key, and repeats
 * each until it gets a response. Every message with a 202 must have a `status` event.
 */
export async function openTraffic({ urlNow, operatorToken, ledger }) {
  const body = { name: 'API traffic', plan: 'max', accept_tos: true, limits: UNLIMITED }
  const key = (await patiently('/operator/accounts', operatorToken, body)).api_key.key
  const sessions = []
  for (let n = 0; n < NUMBERS; n++) {
    const phone = String(999_700_000 + n)
    const session = await patiently('/v1/sessions', key, { platform: 'sandbox', phone })
    const path = `/front-${n}`
    const url = ledger.urlOf(path)
    const urls = { messages_url: url, status_url: url, connection_url: url, events_url: url }
    const webhook = await patiently('/v1/webhooks', key, { session_id: session.id, ...urls })
    ledger.webhooks.set(webhook.id, { secret: webhook.secret, path, bulk: false })
    sessions.push(session.id)
  }
  const accepted = new Set()
  const tried = new Set()
  let over = false

  async function ask(path, bearer, given, headers = {}) {
    const answer = await fetch(`${urlNow()}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(given),
      signal: AbortSignal.timeout(15_000),
    })
    return { status: answer.status, json: await answer.json() }
  }

  /** Repeats the request until it succeeds: the gateway may be down, or the number not linked yet. */
  async function patiently(...request) {
    for (let left = 200; ; left--) {
      const answer = await ask(...request).catch(error => ({ status: 0, json: String(error) }))
      if (answer.status >= 200 && answer.status < 300) return answer.json
      if (left === 0) throw new Error(`${request[0]}: ${answer.status} ${JSON.stringify(answer.json)}`)
      await later(200)
    }
  }

  async function send(n) {
    const message = { session_id: sessions[n % NUMBERS], to: `1555200${1_000 + (n % 20)}`, text: `message ${n}` }
    const requestId = `front-${n}`
    tried.add(requestId)
    while (!over) {
      const answer = await ask('/v1/messages', key, message, { 'idempotency-key': requestId }).catch(() => null)
      if (answer?.status === 202) return void accepted.add(requestId)
      await later(300)
    }
  }

  async function run() {
    const sends = []
    for (let n = 0; !over; n++) {
      sends.push(send(n))
      await later(EVERY_MS)
    }
    await Promise.all(sends)
  }
  const running = run()

  return {
    accepted,
    tried,
    stop: async () => {
      over = true
      await running
    },
    /** Accepted messages without a `status` event. */
    unreported: () => {
      const reported = new Set([...ledger.received.values()].map(({ event }) => statusOf(event)))
      return [...accepted].filter(requestId => !reported.has(requestId))
    },
    /** Whether the event can result from a sent message. */
    isExpected: event =>
      event.kind === 'connection' ||
      ((event.kind === 'status' || event.kind === 'receipt') && tried.has(event.request_id)),
  }
}

const statusOf = event => (event?.kind === 'status' ? event.request_id : undefined)

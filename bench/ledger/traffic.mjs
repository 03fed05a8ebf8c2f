import { later } from '../shared/child.mjs'
import { keyOf, receiverOf } from './receiver.mjs'
import { UNLIMITED } from '../shared/unlimited.mjs'

const NUMBERS = 3
const EVERY_MS = 150
const KINDS = ['status', 'receipt']

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
    ledger.receivers.set(path, receiverOf({ ...webhook, path, bulk: false }))
    sessions.push(session.id)
  }
  const sorts = {
    eager: {},
    ladder: { retry: 'ladder' },
    standard: { signature: 'standard' },
    filtered: { kinds: ['status'], direction: 'out', session_ids: sessions },
  }
  for (const [sort, settings] of Object.entries(sorts)) {
    const path = `/front-${sort}`
    const endpoint = await patiently('/v1/endpoints', key, { url: ledger.urlOf(path), ...settings })
    const form = { standard: sort === 'standard', eager: sort !== 'ladder', kinds: settings.kinds ?? null }
    ledger.receivers.set(path, receiverOf({ ...endpoint, path, bulk: false, ...form }))
  }
  const pull = await patiently('/v1/endpoints', key, { type: 'pull', kinds: KINDS })
  const accepted = new Set()
  const tried = new Set()
  let over = false

  async function ask(path, bearer, given, headers = {}) {
    const answer = await fetch(`${urlNow()}${path}`, {
      method: given === undefined ? 'GET' : 'POST',
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

  /** What the pull endpoint has returned, and the cursor that the next read acknowledges. */
  const pulled = { ids: [], cursors: [], missed: 0, after: '0' }
  async function readPulled() {
    for (;;) {
      const path = `/v1/endpoints/${pull.id}/events?after=${pulled.after}&wait=2`
      const page = await ask(path, key).catch(() => null)
      if (page?.status !== 200) {
        await later(200)
        continue
      }
      pulled.missed += page.json.missed
      for (const { cursor, body, event_id } of page.json.data) {
        pulled.ids.push(JSON.parse(body).message_id ?? event_id)
        pulled.cursors.push(Number(cursor))
      }
      pulled.after = page.json.cursor
    }
  }
  void readPulled()

  const isOfMessage = event => KINDS.includes(event.kind)
  /** The events of messages by the ids that every receiver gets; a receipt bears the id of its event. */
  const events = () =>
    new Map(
      [...ledger.received.values()]
        .filter(({ path, event }) => /^\/front-\d/.test(path) && isOfMessage(event))
        .map(({ id, event }) => [id, event]),
    )

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
    isExpected: ({ path, event }) =>
      (event.kind === 'connection' || (isOfMessage(event) && tried.has(event.request_id))) &&
      (ledger.receivers.get(path).kinds?.includes(event.kind) ?? true),
    /** What each endpoint with a URL must have got, because the webhook of the number did. */
    owed: () =>
      Object.keys(sorts).flatMap(sort => {
        const path = `/front-${sort}`
        const { kinds } = ledger.receivers.get(path)
        return [...events()].filter(([, { kind }]) => kinds?.includes(kind) ?? true).map(([id]) => keyOf(path, id))
      }),
    /** The same for the endpoint that is read: its cursors have no gaps. */
    pulled: () => {
      const wanted = events()
      const read = new Set(pulled.ids)
      const gaps = pulled.cursors.filter((cursor, i) => cursor !== i + 1).length
      return {
        read: pulled.ids.length,
        lost: [...wanted.keys()].filter(id => !read.has(id)).length + pulled.missed + gaps,
        unexpected: [...read].filter(id => !wanted.has(id)).length,
        twice: pulled.ids.length - read.size,
      }
    },
  }
}

const statusOf = event => (event?.kind === 'status' ? event.request_id : undefined)

import { eachOf, later } from '../shared/child.mjs'
import { contactOf, sandboxNumbers } from '../shared/contacts.mjs'
import { UNLIMITED } from '../shared/unlimited.mjs'

const ACCOUNTS = 6
const CONTACTS = 4
const AT_ONCE = 8
const PATIENCE_MS = 240_000
const AGAIN_MS = 250
/** Temporary errors, after which a careful customer repeats the request. */
const AGAIN = new Set([0, 409, 429, 502, 503])

/** Creates accounts with numbers, each with a separate webhook; returns the numbers. */
export async function signUp({ client, operatorToken, receiver, count, log }) {
  const patiently = patienceOf(client)
  const keys = []
  for (let n = 0; n < Math.min(ACCOUNTS, count); n++) {
    const body = { name: `Customer ${n}`, plan: 'max', accept_tos: true, limits: UNLIMITED }
    keys.push((await patiently('/operator/accounts', operatorToken, body)).api_key.key)
  }
  const phones = sandboxNumbers(4, count)
  let linked = 0
  return await eachOf(phones, AT_ONCE, async (phone, n) => {
    const key = keys[n % keys.length]
    const { id } = await patiently('/v1/sessions', key, { platform: 'sandbox', phone })
    const number = { n, id, key, jid: `${phone}@s.whatsapp.net`, path: `/number-${n}`, secret: '' }
    const url = receiver.urlOf(number.path)
    const urls = { messages_url: url, status_url: url, connection_url: url, events_url: url }
    number.secret = (await patiently('/v1/webhooks', key, { session_id: id, ...urls })).secret
    receiver.add(number)
    if (++linked % 10 === 0) log(`${linked} of ${count} numbers are linked`)
    return number
  })
}

const patienceOf = client => async (path, key, body) => {
  for (const began = performance.now(); ; await later(AGAIN_MS)) {
    const { status, json } = await client.ask('POST', path, { key, body, timeoutMs: PATIENCE_MS })
    if (status >= 200 && status < 300) return json
    if (performance.now() - began > PATIENCE_MS) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`)
  }
}

/** Every number sends and receives at its share of the rate, until `signal` aborts. */
export async function writeAround({ client, numbers, ledger, rate, signal }) {
  const everyMs = (numbers.length / rate) * 1_000
  const keepOn = async (number, write) => {
    // Spread the starts over the interval.
    await later((number.n / numbers.length) * everyMs)
    for (let serial = 0; !signal.aborted; serial++) {
      const began = performance.now()
      await write({ client, number, ledger, signal }, serial)
      await later(Math.max(0, everyMs - (performance.now() - began)))
    }
  }
  await Promise.all(numbers.flatMap(number => [keepOn(number, send), keepOn(number, receive)]))
}

/** Repeats the request with the same key until a response arrives: a 202 from any node is a promise. */
async function send({ client, number, ledger, signal }, serial) {
  const contact = contactOf(number.n, serial % CONTACTS)
  const key = `${number.jid} out ${serial}`.replaceAll(' ', '-')
  const entry = { number, contact, serial, isAccepted: false, refused: null }
  ledger.sends.set(key, entry)
  const question = {
    key: number.key,
    body: { session_id: number.id, to: contact, text: key },
    headers: { 'idempotency-key': key },
  }
  while (!signal.aborted) {
    const { status, json } = await client.ask('POST', '/v1/messages', question)
    if (status === 202) return void (entry.isAccepted = true)
    if (!AGAIN.has(status)) return void (entry.refused = `${key}: ${status} ${json.error}`)
    await later(AGAIN_MS)
  }
}

/** Sends only once: without a response, it is unknown whether the message was written. */
async function receive({ client, number, ledger }, serial) {
  const text = `${number.jid} in ${serial}`
  ledger.triedIncoming.add(text)
  const path = `/sandbox/sessions/${encodeURIComponent(number.id)}/incoming`
  const body = { from: contactOf(number.n, serial % CONTACTS), type: 'text', text }
  const { status, json } = await client.ask('POST', path, { key: number.key, body })
  if (status === 202) ledger.incoming.set(json.message_id, text)
}

/** The messages of the numbers on their contacts' phones: the text of each and the contact. */
export async function readPhones(client, numbers) {
  const pages = await eachOf(numbers, AT_ONCE, async ({ id, key }) => {
    const held = []
    for (let cursor = ''; cursor !== null; ) {
      const query = `limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
      const path = `/sandbox/sessions/${encodeURIComponent(id)}/messages?${query}`
      const { status, json } = await client.ask('GET', path, { key })
      if (status !== 200) {
        await later(AGAIN_MS)
        continue
      }
      held.push(...json.data)
      cursor = json.next_cursor
    }
    return held
      .filter(message => !message.from_me)
      .map(({ text, contact, copies }) => ({ text, contact: contact.split('@')[0], copies }))
  })
  return pages.flat()
}

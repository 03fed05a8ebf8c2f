import { createHash, createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { isSigned } from '../shared/signature.mjs'

const DRAINED = '/drained'
/** A connection that the kernel drops is tried again a second later, or never arrives. */
const BACKLOG = 4_096

/** The customers' server: records every request before it responds, and fails some of them. */
export async function startLedger() {
  const received = new Map()
  /** Webhooks and endpoints by the path of their requests; see `receiverOf`. */
  const receivers = new Map()
  const faults = { unsigned: 0, foreign: 0 }

  function note(request, body) {
    const { headers, url: path } = request
    const receiver = receivers.get(path)
    if (receiver === undefined || !isFor(receiver, headers)) faults.foreign++
    if (receiver === undefined) return true
    if (!isSignedFor(receiver, headers, body)) faults.unsigned++
    const event = receiver.bulk && !receiver.standard ? undefined : JSON.parse(body)
    const id = headers['x-message-id'] ?? event.message_id ?? headers['webhook-id']
    const key = keyOf(path, id)
    const firstAt = Number(headers['x-timestamp'] ?? headers['webhook-timestamp']) * 1_000
    const entry = received.get(key) ?? { path, id, posts: 0, accepted: 0, hashes: new Set(), event, firstAt }
    received.set(key, entry)
    entry.posts++
    entry.hashes.add(createHash('sha256').update(body).digest('hex'))
    const isAccepted = entry.posts > failuresOf(receiver, id)
    if (isAccepted) entry.accepted++
    return isAccepted
  }

  const server = createServer((request, response) => {
    const chunks = []
    if (request.url === DRAINED) return void response.end()
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => response.writeHead(note(request, Buffer.concat(chunks)) ? 200 : 503).end())
  })
  await new Promise(resolve => server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, resolve))
  const urlOf = path => `http://127.0.0.1:${server.address().port}${path}`
  /** Resolves when all requests that had arrived before are read: each round of the event loop reads every connection. */
  const drained = async () => {
    for (let round = 0; round < 2; round++) await fetch(urlOf(DRAINED), { headers: { connection: 'close' } })
  }
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { received, receivers, faults, urlOf, drained, close }
}

/**
 * `id` is of the webhook or endpoint. `bulk`: the producer creates its events. `standard`: it is signed by Standard
 * Webhooks. `eager`: it is probed while it fails.
 */
export const receiverOf = ({ id, secret, path, bulk, standard = false, eager = false, kinds = null }) => ({
  id,
  secret,
  path,
  bulk,
  standard,
  eager,
  kinds,
})

/** The same event goes to several receivers, each of which gets it once. */
export const keyOf = (path, id) => `${path} ${id}`

const isFor = ({ id, standard }, headers) => standard || headers['x-webhook-id'] === id

function isSignedFor({ secret, standard }, headers, body) {
  if (!standard) return isSigned(headers, body, secret)
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const head = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`
  const expected = createHmac('sha256', key).update(head).update(body).digest('base64')
  return headers['webhook-signature'] === `v1,${expected}`
}

/**
 * One in twenty fails at first, one in a hundred always. An endpoint with eager retries is never rejected for ever: it
 * would be probed for a day.
 */
export function failuresOf({ path, eager }, id) {
  const dice = createHash('sha256').update(keyOf(path, id)).digest().readUInt16BE() % 100
  if (dice === 0) return eager ? 1 : Number.POSITIVE_INFINITY
  return dice <= 5 ? 1 : 0
}

import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { isSigned } from '../shared/signature.mjs'

/** The customers' server: records every request before it responds, and fails some of them. */
export async function startLedger() {
  const received = new Map()
  /** By webhook: its secret, the path of its requests, and whether the producer creates its events. */
  const webhooks = new Map()
  const faults = { unsigned: 0, foreign: 0 }

  function note(request, body) {
    const webhook = webhooks.get(request.headers['x-webhook-id'])
    if (!isSigned(request.headers, body, webhook?.secret)) faults.unsigned++
    if (request.url !== webhook?.path) faults.foreign++
    const id = request.headers['x-message-id']
    const entry = received.get(id) ?? { posts: 0, accepted: 0, hashes: new Set(), event: undefined }
    received.set(id, entry)
    entry.posts++
    entry.hashes.add(createHash('sha256').update(body).digest('hex'))
    if (webhook?.bulk === false) entry.event = JSON.parse(body)
    const isAccepted = entry.posts > failuresOf(id)
    if (isAccepted) entry.accepted++
    return isAccepted
  }

  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => response.writeHead(note(request, Buffer.concat(chunks)) ? 200 : 503).end())
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { received, webhooks, faults, urlOf: path => `http://127.0.0.1:${server.address().port}${path}`, close }
}

/** One in twenty fails at first, one in a hundred always. */
export function failuresOf(id) {
  const dice = createHash('sha256').update(id).digest().readUInt16BE() % 100
  return dice === 0 ? Number.POSITIVE_INFINITY : dice <= 5 ? 1 : 0
}

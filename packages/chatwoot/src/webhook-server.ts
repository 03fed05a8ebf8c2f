import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Clock } from './clock.ts'
import { bytesOf, type OpenedFile } from './files.ts'

const MAX_BYTES = 4 * 1_048_576
const MAX_CONNECTIONS = 256
const REQUEST_TIMEOUT_MS = 30_000
/** Chatwoot sends a webhook once, so an older one is a replay. */
const MAX_AGE_S = 86_400

export interface WebhookDeps {
  /** A part of the path. Without it every request gets 404. */
  secret: string
  /** The key of Chatwoot's signatures, if it signs; `isStale` requests the current one. */
  signedWith: (isStale: boolean) => Promise<string | null>
  clock: Pick<Clock, 'now'>
  /** Stores the webhook before it returns. */
  accept: (payload: unknown) => void
  /** `undefined` if there is no such file. */
  file: (token: string) => Promise<OpenedFile | undefined>
}

/** Receives the webhooks of Chatwoot, and serves files to the gateway. */
export async function serveWebhooks(deps: WebhookDeps, at: { host: string; port: number }): Promise<Server> {
  const server = createServer((request, response) => {
    respond(deps, request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else end(response, 503)
    })
  })
  server.maxConnections = MAX_CONNECTIONS
  server.headersTimeout = REQUEST_TIMEOUT_MS
  server.requestTimeout = REQUEST_TIMEOUT_MS
  server.listen(at.port, at.host)
  await once(server, 'listening')
  return server
}

async function respond(deps: WebhookDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, kind, name = '', more] = new URL(request.url ?? '/', 'http://bridge').pathname.split('/')
  if (kind === 'healthz' && request.method === 'GET') return end(response, 200)
  if (more !== undefined) return end(response, 404)
  if (kind === 'files' && request.method === 'GET') return await serveFile(deps, name, response)
  if (kind !== 'chatwoot' || !isSameToken(name, deps.secret)) return end(response, 404)
  if (request.method !== 'POST') return end(response, 405)
  const body = await read(request)
  if (body === undefined) return end(response, 413, true)
  if (!(await isSigned(deps, request, body))) return end(response, 401)
  let payload: unknown
  try {
    payload = JSON.parse(body.toString('utf8'))
  } catch {
    return end(response, 400)
  }
  deps.accept(payload)
  end(response, 200)
}

async function serveFile(deps: WebhookDeps, token: string, response: ServerResponse): Promise<void> {
  const file = await deps.file(token)
  if (file === undefined) return end(response, 404)
  response.writeHead(200, { 'content-type': file.mimetype, 'x-content-type-options': 'nosniff' })
  await pipeline(bytesOf(file), response)
}

/** `undefined` if the body is larger than any webhook. */
async function read(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Reads the body to its end, or the sender would not read the response, and keeps no more than the limit.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= MAX_BYTES) chunks.push(chunk)
    else chunks.length = 0
  }
  return bytes > MAX_BYTES ? undefined : Buffer.concat(chunks)
}

async function isSigned(deps: WebhookDeps, request: IncomingMessage, body: Buffer): Promise<boolean> {
  const nowS = deps.clock.now().getTime() / 1_000
  for (const isStale of [false, true]) {
    const secret = await deps.signedWith(isStale)
    if (secret === null || isSignature(request, body, { secret, nowS })) return true
  }
  return false
}

/** Chatwoot signs its timestamp, a dot and the body. Older versions do not sign. */
function isSignature(
  { headers }: IncomingMessage,
  body: Buffer,
  { secret, nowS }: { secret: string; nowS: number },
): boolean {
  const { 'x-chatwoot-timestamp': time, 'x-chatwoot-signature': given } = headers
  if (typeof time !== 'string' || typeof given !== 'string') return false
  if (!/^\d{1,12}$/.test(time) || nowS - Number(time) > MAX_AGE_S) return false
  const wanted = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')
  return isSameToken(given, `sha256=${wanted}`)
}

function end(response: ServerResponse, status: number, closes = false): void {
  response
    .writeHead(status, { 'content-type': 'text/plain', ...(closes && { connection: 'close' }) })
    .end(`${status}\n`)
}

/** Compares digests, so that the time does not depend on the content. */
const isSameToken = (given: string, wanted: string): boolean => timingSafeEqual(digestOf(given), digestOf(wanted))

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

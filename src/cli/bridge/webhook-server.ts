import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '../../runtime/clock.ts'
import { isSameToken } from '../../boot/local-access.ts'
import { bytesOf, type OpenedFile } from './files.ts'

const MOST_BYTES = 4 * 1_048_576
const MOST_CONNECTIONS = 256
const PATIENCE_MS = 30_000
/** A webhook is tried once: what comes later was kept by somebody. */
const OLDEST_S = 86_400

export interface WebhookParts {
  /** In the path: whoever does not know it learns nothing. */
  secret: string
  /** What Chatwoot signs with, where it does; `isStale` asks whether it is another by now. */
  signedWith: (isStale: boolean) => Promise<string | null>
  clock: Pick<Clock, 'now'>
  /** On disk when it returns. */
  take: (payload: unknown) => void
  /** `undefined`: there is no such file. */
  file: (token: string) => Promise<OpenedFile | undefined>
}

/** Where Chatwoot brings its webhooks, and where the gateway fetches files. */
export async function serveWebhooks(parts: WebhookParts, at: { host: string; port: number }): Promise<Server> {
  const server = createServer((request, response) => {
    answer(parts, request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else end(response, 503)
    })
  })
  server.maxConnections = MOST_CONNECTIONS
  server.headersTimeout = PATIENCE_MS
  server.requestTimeout = PATIENCE_MS
  server.listen(at.port, at.host)
  await once(server, 'listening')
  return server
}

async function answer(parts: WebhookParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, kind, name = '', more] = new URL(request.url ?? '/', 'http://bridge').pathname.split('/')
  if (kind === 'healthz' && request.method === 'GET') return end(response, 200)
  if (more !== undefined) return end(response, 404)
  if (kind === 'files' && request.method === 'GET') return await giveFile(parts, name, response)
  if (kind !== 'chatwoot' || !isSameToken(name, parts.secret)) return end(response, 404)
  if (request.method !== 'POST') return end(response, 405)
  const body = await read(request)
  if (body === undefined) return end(response, 413, true)
  if (!(await isSigned(parts, request, body))) return end(response, 401)
  let payload: unknown
  try {
    payload = JSON.parse(body.toString('utf8'))
  } catch {
    return end(response, 400)
  }
  parts.take(payload)
  end(response, 200)
}

async function giveFile(parts: WebhookParts, token: string, response: ServerResponse): Promise<void> {
  const file = await parts.file(token)
  if (file === undefined) return end(response, 404)
  response.writeHead(200, { 'content-type': file.mimetype, 'x-content-type-options': 'nosniff' })
  await pipeline(bytesOf(file), response)
}

/** `undefined`: it is larger than any webhook. */
async function read(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  // To its end, or whoever sends it would not hear the answer; what is too much is not kept.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= MOST_BYTES) chunks.push(chunk)
    else chunks.length = 0
  }
  return bytes > MOST_BYTES ? undefined : Buffer.concat(chunks)
}

async function isSigned(parts: WebhookParts, request: IncomingMessage, body: Buffer): Promise<boolean> {
  const nowS = parts.clock.now().getTime() / 1_000
  for (const isStale of [false, true]) {
    const secret = await parts.signedWith(isStale)
    if (secret === null || isSignature(request, body, { secret, nowS })) return true
  }
  return false
}

/** Chatwoot signs its timestamp, a dot and the body; older ones sign nothing. */
function isSignature(
  { headers }: IncomingMessage,
  body: Buffer,
  { secret, nowS }: { secret: string; nowS: number },
): boolean {
  const { 'x-chatwoot-timestamp': time, 'x-chatwoot-signature': given } = headers
  if (typeof time !== 'string' || typeof given !== 'string') return false
  if (!/^\d{1,12}$/.test(time) || nowS - Number(time) > OLDEST_S) return false
  const wanted = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')
  return isSameToken(given, `sha256=${wanted}`)
}

function end(response: ServerResponse, status: number, closes = false): void {
  response
    .writeHead(status, { 'content-type': 'text/plain', ...(closes && { connection: 'close' }) })
    .end(`${status}\n`)
}

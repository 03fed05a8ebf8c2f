import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from './until.ts'

/** One POST as a receiver saw it, recorded before it is answered. */
export interface Received {
  id: string
  webhookId: string
  path: string
  sha256: string
  body: Buffer
  headers: IncomingHttpHeaders
  /** Header names as they were on the wire. */
  rawNames: string[]
  /** Whether a signature matches the receiver's secret for this webhook; `null` without a secret. */
  signed: boolean | null
  timestamp: number
  arrivedAt: number
  answer: number | 'hung' | 'reset'
}

export type Reply =
  | number
  | { status: number; body?: string; headers?: Record<string, string>; delayMs?: number; after?: Promise<unknown> }
  | 'hang'
  | 'reset'

export interface Receiver {
  url(path?: string): string
  ledger: Received[]
  /**
   * The payload of each event, once and in the order of the ids. Requests start in order, but several are on their way
   * at a time; and one that was answered is repeated if the gateway was killed before it had recorded the answer.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- the payload of any event
  events(): any[]
  secrets: Map<string, string[]>
  /** Chooses the response; may be replaced while it runs. */
  reply: (request: Received) => Reply
  inFlight: number
  maxInFlight: number
  /** Resolves when the condition is met. */
  until(condition: (ledger: Received[]) => boolean): Promise<void>
  /** Ends hanging requests. */
  letGo(): void
  close(): Promise<void>
}

/** A customer's server on loopback that keeps a ledger of every request. */
export async function startReceiver(reply: (request: Received) => Reply = () => 200): Promise<Receiver> {
  const hanging = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    receiver.inFlight++
    receiver.maxInFlight = Math.max(receiver.maxInFlight, receiver.inFlight)
    const arrivedAt = Date.now()
    response.once('close', () => receiver.inFlight--)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const received = describe(request.headers, request.rawHeaders, request.url ?? '/', Buffer.concat(chunks))
      const entry = { ...received, arrivedAt, signed: verify(received, receiver.secrets.get(received.webhookId)) }
      const answer = receiver.reply(entry)
      entry.answer = answer === 'hang' ? 'hung' : answer === 'reset' ? 'reset' : statusOf(answer)
      receiver.ledger.push(entry)
      answerWith(response, answer, hanging)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: (path = '/') => `http://127.0.0.1:${port}${path}`,
    ledger: [],
    events: () => {
      const bodies = new Map(receiver.ledger.map(({ id, body }) => [id, body]))
      const ordered = [...bodies].sort(([a], [b]) => (a < b ? -1 : 1))
      return ordered.map(([, body]) => JSON.parse(body.toString()))
    },
    secrets: new Map(),
    reply,
    inFlight: 0,
    maxInFlight: 0,
    until: async condition =>
      void (await until(() => condition(receiver.ledger)).catch((error: unknown) => {
        throw new Error(`the receiver gave up waiting; it has ${receiver.ledger.length} requests`, { cause: error })
      })),
    letGo: () => {
      for (const response of hanging) response.destroy()
      hanging.clear()
    },
    close: async () => {
      receiver.letGo()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return receiver
}

const statusOf = (reply: number | { status: number }): number => (typeof reply === 'number' ? reply : reply.status)

function answerWith(response: ServerResponse, reply: Reply, hanging: Set<ServerResponse>): void {
  if (reply === 'hang') return void hanging.add(response)
  if (reply === 'reset') return void response.destroy()
  const { status, body, headers, delayMs, after } =
    typeof reply === 'number' ? { status: reply } : { body: '', ...reply }
  const send = () => response.writeHead(status, headers).end(body ?? '')
  if (after) void after.then(send)
  else if (delayMs) setTimeout(send, delayMs)
  else send()
}

function describe(headers: IncomingHttpHeaders, rawHeaders: string[], path: string, body: Buffer): Received {
  return {
    id: String(headers['x-message-id']),
    webhookId: String(headers['x-webhook-id']),
    path,
    sha256: createHash('sha256').update(body).digest('hex'),
    body,
    headers,
    rawNames: rawHeaders.filter((_, i) => i % 2 === 0),
    signed: null,
    timestamp: Number(headers['x-timestamp']),
    arrivedAt: 0,
    answer: 0,
  }
}

/** Follows the specification (Webhook signature), without our own code. */
function verify(received: Received, secrets: string[] | undefined): boolean | null {
  if (secrets === undefined) return null
  const parts = String(received.headers['x-webhook-signature']).split(',')
  const t = parts.find(part => part.startsWith('t='))?.slice(2)
  if (t !== String(received.timestamp)) return false
  const given = parts.filter(part => part.startsWith('v1=')).map(part => part.slice(3))
  const expected = secrets.map(secret =>
    createHmac('sha256', secret).update(`${t}.`).update(received.body).digest('hex'),
  )
  return given.some(signature => expected.includes(signature))
}

import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Compile } from 'typebox/compile'
import type { Event } from '../../../src/domain/event.ts'
import { eventSchemas } from '../../../src/http/openapi/event-schemas.ts'

/** A customer's server that trusts nothing: it checks the signature and the shape of every event. */
export interface EventReceiver {
  readonly url: string
  /** By webhook. */
  readonly secrets: Map<string, string>
  readonly kinds: Map<string, number>
  /** How often each innocent text arrived, with its origin. */
  readonly innocent: Map<string, string[]>
  readonly wrong: string[]
  total(): number
  close(): Promise<void>
}

const checks = new Map(Object.entries(eventSchemas).map(([kind, { schema }]) => [kind, Compile(schema)]))
const LATEST = 4_102_444_800
const MAX_WRONG = 200

export async function startEventReceiver(): Promise<EventReceiver> {
  let total = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      total++
      checkEvent(receiver, request, Buffer.concat(chunks))
      response.writeHead(200).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const receiver: EventReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    secrets: new Map(),
    kinds: new Map(),
    innocent: new Map(),
    wrong: [],
    total: () => total,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return receiver
}

function checkEvent(receiver: EventReceiver, request: IncomingMessage, body: Buffer): void {
  const wrong = (what: string) => receiver.wrong.length < MAX_WRONG && receiver.wrong.push(what)
  const event = JSON.parse(body.toString()) as Event
  receiver.kinds.set(event.kind, (receiver.kinds.get(event.kind) ?? 0) + 1)
  if (!isSigned(request, body, receiver.secrets.get(String(request.headers['x-webhook-id']))))
    wrong('a wrong signature')
  for (const what of faultsOf(event)) wrong(what)
  if (event.kind !== 'message' || !event.text.startsWith(INNOCENT)) return
  const places = receiver.innocent.get(event.text) ?? []
  receiver.innocent.set(event.text, [...places, `${event.session_id} ${event.chat_jid} ${event.message_id}`])
}

/** The prefix of innocent texts. */
export const INNOCENT = 'innocent '

function isSigned({ headers }: IncomingMessage, body: Buffer, secret: string | undefined): boolean {
  const match = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-webhook-signature']))
  if (!match || secret === undefined) return false
  return createHmac('sha256', secret).update(`${match[1]}.`).update(body).digest('hex') === match[2]
}

/** Names the field, never its value. */
function faultsOf(event: Event): string[] {
  const { kind } = event
  const check = checks.get(kind)
  if (!check) return ['an event of no known kind']
  const value: unknown = event
  const forbidden = check.Check(value) ? [] : check.Errors(value)
  return [...forbidden.map(({ instancePath, message }) => `${kind}${instancePath}: ${message}`), ...absurdities(event)]
}

/** Values that a schema cannot forbid and no customer could use. */
function absurdities(event: Event): string[] {
  const fields = event as unknown as Record<string, unknown>
  const at = fields.timestamp_unix
  const names = [
    'message_id',
    'chat_jid',
    'sender_jid',
    'from_jid',
    'call_id',
    'recipient_jid',
    'voter_jid',
    'contact_jid',
  ]
  const empty = names.filter(name => fields[name] === '').map(name => `${event.kind}/${name}: is empty`)
  const isAbsurd = typeof at === 'number' && (at <= 0 || at > LATEST)
  return isAbsurd ? [...empty, `${event.kind}/timestamp_unix: is no time of these days`] : empty
}

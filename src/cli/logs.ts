import { systemClock } from '../runtime/clock.ts'
import { ConfigError } from '../boot/config-error.ts'
import { deliveryRow, type ShownDelivery } from './deliveries.ts'
import { CLIENT_HELP, type ClientOptions, type GatewayClient, openClient } from './gateway-client.ts'
import { printable, toJson } from './terminal.ts'

export const logsHelp = `postern logs [--follow] [--limit N] [--json] [--url http://…] [--key ptn_…]
             [--account acc_…]

Shows the latest activity of the account, oldest first: requests of its keys,
messages with their state, deliveries with their response. With --follow it
prints changes until you press Ctrl-C. It shows no content; use
\`postern listen\` for that.

  --follow    print changes as they happen
  --limit     how many of each kind at first, up to 100. Default: 20
  --json      print each entry as one line of JSON
${CLIENT_HELP}`

interface Options extends ClientOptions {
  follow?: boolean
  limit?: string
  json?: boolean
}

interface Entry {
  at: string
  version: string
  line: string
  json: unknown
}

interface ShownMessage {
  id: string
  to: string
  type: string
  state: string
  reason: string | null
  session_id: string
  updated_at?: string
  created_at: string
}

interface ShownRequest {
  id: string
  request_id: string
  method: string
  path: string
  status: number
  latency_ms: number
  error: string | null
  created_at: string
}

const POLL_MS = 1_000

export async function logs(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  const limit = options.limit ?? '20'
  if (!/^([1-9]\d?|100)$/.test(limit)) throw new ConfigError('--limit must be a whole number from 1 to 100.')
  let client: GatewayClient | undefined = await openClient(options, env)
  const printed = new Set<string>()
  const print = (entries: Entry[]): void => {
    for (const { version, line, json } of entries) {
      if (printed.has(version)) continue
      printed.add(version)
      console.log(options.json === true ? toJson(json) : line)
    }
  }
  print(await read(client, limit))
  while (options.follow === true) {
    await systemClock.sleep(POLL_MS)
    try {
      client ??= await openClient(options, env)
      print(await read(client, '100'))
    } catch {
      // A gateway that restarts may have a new address and token: the next round finds it again.
      client = undefined
    }
  }
}

async function read(client: GatewayClient, limit: string): Promise<Entry[]> {
  const [messages, deliveries, requests] = await Promise.all([
    client.call<{ data: ShownMessage[] }>('GET', `/v1/messages?limit=${limit}`),
    client.call<{ data: ShownDelivery[] }>('GET', `/v1/deliveries?limit=${limit}`),
    // A key without the scope manage cannot read the API log.
    client.request('GET', `/v1/requests?limit=${limit}&reads=hide`),
  ])
  const logged = requests?.status === 200 ? (requests.json['data'] as ShownRequest[]) : []
  const entries = [...messages.data.map(ofMessage), ...deliveries.data.map(ofDelivery), ...logged.map(ofRequest)]
  return entries.sort((a, b) => a.at.localeCompare(b.at))
}

const ofMessage = (message: ShownMessage): Entry => {
  const at = message.updated_at ?? message.created_at
  const reason = message.reason === null ? '' : ` ${message.reason}`
  return {
    at,
    version: `${message.id} ${message.state}`,
    line: printable(`${at}  message   ${message.id}  ${message.type} to ${message.to}: ${message.state}${reason}`),
    json: { what: 'message', ...message },
  }
}

const ofDelivery = (delivery: ShownDelivery): Entry => {
  const [, id, kind, status, code] = deliveryRow(delivery)
  return {
    at: delivery.updated_at,
    version: `${delivery.id} ${delivery.status} ${delivery.attempts.length}`,
    line: `${delivery.updated_at}  delivery  ${id}  ${kind}: ${status} ${code}`,
    json: { what: 'delivery', ...delivery },
  }
}

const ofRequest = (request: ShownRequest): Entry => {
  const { created_at: at, method, path, status, latency_ms, request_id, error } = request
  const said = error === null ? '' : ` ${toJson(error)}`
  return {
    at,
    version: request.id,
    line: printable(
      `${at}  request   ${request_id}  ${method} ${path}: ${status} in ${Math.round(latency_ms)} ms${said}`,
    ),
    json: { what: 'request', ...request },
  }
}

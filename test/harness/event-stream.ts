import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { until } from './until.ts'

export interface StreamEvent {
  event: string
  // oxlint-disable-next-line typescript/no-explicit-any -- read field by field, as a customer would
  data: any
}

export interface Listening {
  status: number
  headers: IncomingMessage['headers']
  events: StreamEvent[]
  ended: boolean
  of(event: string): StreamEvent[]
  /** Resolves with the first event that meets the condition. */
  wait(event: string, condition?: (data: StreamEvent['data']) => boolean): Promise<StreamEvent>
  close(): void
}

/** Reads server-sent events as a browser does; `ca` is the authority of a server with TLS. */
export function listenTo(base: string, path: string, headers: Record<string, string>, ca?: string): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const open = ca === undefined ? httpRequest : httpsRequest
    const request = open(base + path, { headers: { accept: 'text/event-stream', ...headers }, agent: false, ca })
    request.once('error', reject)
    request.once('response', response => {
      const events: StreamEvent[] = []
      let rest = ''
      const listening: Listening = {
        status: response.statusCode!,
        headers: response.headers,
        events,
        ended: false,
        of: name => events.filter(({ event }) => event === name),
        wait: (name, condition = () => true) =>
          until(() => events.find(({ event, data }) => event === name && condition(data))),
        close: () => request.destroy(),
      }
      response.on('error', () => {})
      response.on('close', () => (listening.ended = true))
      response.on('data', (chunk: Buffer) => {
        const parts = (rest + chunk.toString()).split('\n\n')
        rest = parts.pop()!
        events.push(...parts.map(parseEvent))
      })
      resolve(listening)
    })
    request.end()
  })
}

function parseEvent(block: string): StreamEvent {
  const fields = new Map(block.split('\n').map(line => [line.split(': ')[0]!, line.slice(line.indexOf(': ') + 2)]))
  return { event: fields.get('event')!, data: JSON.parse(fields.get('data')!) }
}

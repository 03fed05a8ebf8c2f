import { typeOf, type Endpoint } from '../../domain/endpoint.ts'
import { invalid, notFound, wrongState } from '../../domain/errors.ts'
import type { StreamPage } from '../../store/listeners/streams.ts'
import { upgradeOf } from '../connection/upgrades.ts'
import type { Deps } from '../deps.ts'
import type { Identity } from '../identity.ts'
import { CURSOR, Cursor, followEvents, MAX_WAIT_S, ReadPage, showReadable, waitForEvents } from '../live/read-events.ts'
import { type LiveStream, openStream } from '../live/sse.ts'
import { openSocket } from '../live/web-socket.ts'
import { route } from '../route.ts'
import { ById, Strict } from '../schemas.ts'
import { Type } from '../type.ts'
import { ownEndpoint } from './endpoints.ts'

async function ownPullEndpoint(deps: Deps, identity: Identity, id: string): Promise<Endpoint> {
  const endpoint = await ownEndpoint(deps, identity, id)
  if (typeOf(endpoint) !== 'pull') throw wrongState('only endpoints of type pull can be read')
  return endpoint
}

/** The endpoint may have had other numbers when it got an event, so a limited key is checked for each. */
const showPage = (deps: Deps, { sessionIds }: Identity, { include }: Endpoint, { events }: StreamPage) =>
  events
    .filter(event => sessionIds === null || sessionIds.includes(event.sessionId))
    .flatMap(event => showReadable(deps, event, include))

export const readEndpoint = route({
  method: 'GET',
  path: '/v1/endpoints/:id/events',
  tag: 'Endpoints',
  summary: 'Read the events of a pull endpoint, oldest first',
  description:
    'The request acknowledges every event up to `after`, and waits if there is no event yet. Without `after` it acknowledges nothing and begins after the last acknowledged event, so that your program needs no memory of its own. The response has up to 100 events and 4 MiB, but at least one event if there is any. Handle them, then continue with its `cursor`. `missed` counts the events before them that the gateway deleted because they were not acknowledged within `keep_hours`, or because the endpoint had more than 100,000 events or 256 MiB. If several programs read one endpoint, each of them gets every event that none has acknowledged.',
  scope: 'manage',
  params: ById,
  query: Strict({
    after: Type.Optional(Cursor),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_S,
        description: 'How many seconds to wait if there is no event yet.',
      }),
    ),
  }),
  status: 200,
  work: 'waiting',
  response: ReadPage,
  errors: [404],
  async handler({ identity, params, query, gone, admitted }, deps) {
    const endpoint = await ownPullEndpoint(deps, identity, params.id)
    const after = await acknowledge(deps, endpoint.id, Number(query.after ?? 0))
    const wait = { readerId: endpoint.id, streamId: endpoint.id, after, waitMs: (query.wait ?? 0) * 1_000 }
    const page = await waitForEvents(deps, { ...wait, gone: gone(), admitted })
    return { data: showPage(deps, identity, endpoint, page), cursor: String(page.cursor), missed: page.missed }
  },
})

export const acknowledgeEndpoint = route({
  method: 'POST',
  path: '/v1/endpoints/:id/ack',
  tag: 'Endpoints',
  summary: 'Acknowledge the events of a pull endpoint up to a cursor',
  description:
    'No later read returns them. The response has the last acknowledged cursor. It is another one than yours if you have acknowledged later events before, or if yours is from before a backup was restored.',
  scope: 'manage',
  params: ById,
  body: Strict({ cursor: Cursor }),
  status: 200,
  response: Strict({ cursor: Type.String() }),
  errors: [404],
  example: { body: { cursor: '17' } },
  async handler({ identity, params, body }, deps) {
    const { id } = await ownPullEndpoint(deps, identity, params.id)
    return { cursor: String(await acknowledge(deps, id, Number(body.cursor))) }
  },
})

async function acknowledge({ store }: Deps, endpointId: string, cursor: number): Promise<number> {
  const acknowledged = await store.listeners.acknowledgePulled({ endpointId, cursor })
  if (acknowledged === undefined) throw notFound('endpoint')
  return acknowledged
}

export const streamEndpoint = route({
  method: 'GET',
  path: '/v1/endpoints/:id/stream',
  tag: 'Endpoints',
  summary: 'Read the events of a pull endpoint as server-sent events, or over a WebSocket',
  description:
    'The stream begins after the last acknowledged event, or after the cursor in the header `Last-Event-ID` if that is later. Each event named `event` has a cursor as its id, and as its data what the other read returns for an event. An event named `missed` with a `count` comes first if the gateway has deleted events that were not acknowledged. The stream acknowledges nothing: call `/ack` with the cursor of the last event that your program has handled. A request with `Upgrade: websocket` opens a WebSocket instead: each message is a JSON object with the `event` and its `data`, and your program acknowledges events with a message such as `{"ack": "17"}`, which is answered with the event `acknowledged`. The gateway closes the WebSocket with 1008 after a message that it does not understand, with 1011 if it could not store an acknowledgement and with 1001 when it stops: after the last two, connect again.',
  scope: 'manage',
  params: ById,
  status: 200,
  response: Type.String(),
  contentType: 'text/event-stream',
  errors: [404],
  async handler({ identity, params, headers, reply }, deps) {
    const endpoint = await ownPullEndpoint(deps, identity, params.id)
    const after = lastEventId(headers['last-event-id'])
    const upgrade = upgradeOf(reply.request.raw)
    const stream: LiveStream | undefined =
      upgrade === undefined
        ? await openStream(reply, deps)
        : await openSocket(reply, upgrade, deps, async message => {
            const cursor = await acknowledge(deps, endpoint.id, ackOf(message))
            await stream?.sendAll('acknowledged', { cursor: String(cursor) })
          })
    if (stream === undefined) return
    try {
      await followEvents(deps, { streamId: endpoint.id, after, signal: stream.signal }, async page => {
        if (page.missed > 0) await stream.sendAll('missed', { count: page.missed })
        for (const event of showPage(deps, identity, endpoint, page)) await stream.sendAll('event', event, event.cursor)
      })
    } catch (error) {
      // The client connects again.
      deps.log.warn({ endpoint_id: endpoint.id, err: error }, 'endpoint.stream_failed')
    } finally {
      stream.end()
    }
  },
})

/** The cursor of `{"ack": "17"}`. */
function ackOf(message: string): number {
  const ack = ackIn(message)
  if (typeof ack !== 'string' || !CURSOR.test(ack)) throw invalid('ack must be a cursor', 'ack')
  return Number(ack)
}

function ackIn(message: string): unknown {
  try {
    return (JSON.parse(message) as { ack?: unknown } | null)?.ack
  } catch {
    return undefined
  }
}

function lastEventId(given: string | string[] | undefined): number {
  if (given === undefined || given === '') return 0
  if (typeof given !== 'string' || !CURSOR.test(given))
    throw invalid('Last-Event-ID must be a cursor of this endpoint', 'Last-Event-ID')
  return Number(given)
}

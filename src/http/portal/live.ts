import type { Static } from 'typebox'
import type { StoredSession } from '../../store/sessions/sessions.ts'
import type { AccountChanges } from '../live/live-polls.ts'
import type { Deps } from '../deps.ts'
import { route } from '../route.ts'
import { Strict } from '../schemas.ts'
import { type EventStream, openStream } from '../live/sse.ts'
import { Delivery, showDelivery } from '../v1/deliveries.ts'
import { MessageSchema, showMessage } from '../v1/messages.ts'
import { Pairing, showPairing } from '../v1/pairings.ts'
import { RequestSchema, showRequest } from '../v1/requests.ts'
import { SessionSchema, showSession } from '../v1/sessions.ts'

/** The data of each event under its name. */
const LiveEvents = Strict({
  delivery: Delivery,
  message: MessageSchema,
  session: SessionSchema,
  pairing: Pairing,
  request: RequestSchema,
})
type LiveEvents = Static<typeof LiveEvents>

export const followAccount = route({
  method: 'GET',
  path: '/live',
  tag: 'User',
  summary: 'Follow all changes in the account as server-sent events',
  scope: 'read',
  status: 200,
  response: LiveEvents,
  contentType: 'text/event-stream',
  async handler({ identity, reply }, deps) {
    const { id } = identity.account
    const { changes, sessions } = deps.livePolls
    const stream = await openStream(reply, deps)
    try {
      await Promise.all([
        changes.follow(id, sendChanges(deps, stream), stream.signal),
        sessions.follow(id, sendSessions(deps, stream), stream.signal),
      ])
    } finally {
      stream.end()
    }
  },
})

/** Sends only events that the description lists. */
const send = <Name extends keyof LiveEvents>(stream: EventStream, name: Name, data: LiveEvents[Name]) =>
  stream.send(name, data)

/** Sends each version of a changed record once. */
function sendChanges(deps: Deps, stream: EventStream): (changes: AccountChanges) => void {
  let seen = new Set<string>()
  return ({ deliveries, messages, details, pairings, requests }) => {
    const versions = new Set<string>()
    const sendOnce = <Name extends keyof LiveEvents>(name: Name, version: string, show: () => LiveEvents[Name]) => {
      versions.add(version)
      if (!seen.has(version)) send(stream, name, show())
    }
    for (const entry of deliveries) {
      sendOnce('delivery', `${entry.id} ${entry.updatedAt} ${entry.status}`, () => showDelivery(entry))
    }
    for (const message of messages) {
      const version = `${message.id} ${message.updatedAt} ${message.state} ${details.holds.get(message.id)?.because}`
      sendOnce('message', version, () => showMessage(message, details))
    }
    for (const pairing of pairings) {
      const version = `${pairing.id} ${pairing.updatedAt} ${pairing.status}`
      sendOnce('pairing', version, () => showPairing(deps, pairing))
    }
    for (const request of requests) sendOnce('request', request.id, () => showRequest(request))
    seen = versions
  }
}

function sendSessions(deps: Deps, stream: EventStream): (sessions: StoredSession[]) => void {
  let known = new Map<string, string>()
  return sessions => {
    const now = new Map<string, string>()
    for (const session of sessions) {
      const shown = showSession(deps, session)
      const version = JSON.stringify(shown)
      now.set(session.id, version)
      if (known.get(session.id) !== version) send(stream, 'session', shown)
    }
    known = now
  }
}

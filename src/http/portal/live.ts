import type { Static } from 'typebox'
import type { Topic } from '../../store/signals.ts'
import { WakeUp } from '../../store/wake-up.ts'
import type { Parts } from '../parts.ts'
import { route } from '../route.ts'
import { Strict } from '../schemas.ts'
import { type EventStream, openStream } from '../sse.ts'
import { Delivery, showDelivery } from '../v1/deliveries.ts'
import { MessageSchema, showMessage } from '../v1/messages.ts'
import { Pairing, showPairing } from '../v1/pairings.ts'
import { SessionSchema, showSession } from '../v1/sessions.ts'

const READ_EVERY_MS = 500
const READ_SESSIONS_EVERY_MS = 2_000
const QUIET_MS = 100
/** Commits overtake each other by less than this; what is read again is told once. */
const OVERLAP_MS = 5_000

/** The data of each event under its name. */
const LiveEvents = Strict({ delivery: Delivery, message: MessageSchema, session: SessionSchema, pairing: Pairing })
type LiveEvents = Static<typeof LiveEvents>

export const followAccount = route({
  method: 'GET',
  path: '/live',
  tag: 'User',
  summary: 'Everything that changes in the account, as it changes, as server-sent events',
  scope: 'read',
  status: 200,
  response: LiveEvents,
  contentType: 'text/event-stream',
  async handler({ identity, reply }, parts) {
    const { id } = identity.account
    const stream = openStream(reply, parts)
    try {
      await Promise.all([tellChanges(parts, stream, id), tellSessions(parts, stream, id)])
    } finally {
      stream.end()
    }
  },
})

/** Says nothing that the description does not know. */
const send = <Name extends keyof LiveEvents>(stream: EventStream, name: Name, data: LiveEvents[Name]) =>
  stream.send(name, data)

/** Looks again and again until the stream ends; a database that is away for a while ends nothing. */
async function repeat(
  parts: Parts,
  stream: EventStream,
  everyMs: number,
  topics: Topic[],
  look: () => Promise<void>,
): Promise<void> {
  const wakeUp = new WakeUp(parts, topics, { quietMs: QUIET_MS })
  while (!stream.signal.aborted) {
    await look().catch((error: unknown) => parts.log.warn({ err: error }, 'stream.unread'))
    await wakeUp.sleep(everyMs, stream.signal)
  }
  wakeUp.stop()
}

async function tellChanges(parts: Parts, stream: EventStream, accountId: string): Promise<void> {
  const { store } = parts
  let seen = new Set<string>()
  await repeat(parts, stream, READ_EVERY_MS, ['pairings'], async () => {
    const sinceMs = (await store.now()) - OVERLAP_MS
    const [deliveries, messages, pairings] = await Promise.all([
      store.webhooks.listDeliveries({ accountId, sessionIds: null, changedSinceMs: sinceMs, limit: 500, cursor: null }),
      store.messages.listChangedMessages({ accountId, sinceMs }),
      store.sessions.listChangedPairings({ accountId, sinceMs }),
    ])
    const told = new Set<string>()
    const tell = <Name extends keyof LiveEvents>(name: Name, version: string, show: () => LiveEvents[Name]) => {
      told.add(version)
      if (!seen.has(version)) send(stream, name, show())
    }
    for (const entry of deliveries.data.reverse()) {
      tell('delivery', `${entry.id} ${entry.updatedAt} ${entry.status}`, () => showDelivery(entry))
    }
    for (const message of messages) {
      tell('message', `${message.id} ${message.updatedAt} ${message.state}`, () => showMessage(message))
    }
    for (const pairing of pairings) {
      const version = `${pairing.id} ${pairing.updatedAt} ${pairing.status}`
      tell('pairing', version, () => showPairing(parts, pairing))
    }
    seen = told
  })
}

async function tellSessions(parts: Parts, stream: EventStream, accountId: string): Promise<void> {
  let known = new Map<string, string>()
  await repeat(parts, stream, READ_SESSIONS_EVERY_MS, ['sessions', 'hosts'], async () => {
    const { data } = await parts.store.sessions.listSessions({ accountId, sessionIds: null, limit: 200, cursor: null })
    const now = new Map<string, string>()
    for (const session of data) {
      const shown = showSession(parts, session)
      const version = JSON.stringify(shown)
      now.set(session.id, version)
      if (known.get(session.id) !== version) send(stream, 'session', shown)
    }
    known = now
  })
}

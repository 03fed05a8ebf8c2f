import { foreignSession, invalid } from '../domain/errors.ts'
import { parseSessionId } from '../domain/jid.ts'
import type { Store } from '../store/store.ts'
import type { StoredSession } from '../store/units/sessions/sessions.ts'
import { type Identity, requireOwn } from './identity.ts'

const BELIEVED_MS = 250
const MAX_CACHED = 10_000

/** Sessions as they were a moment ago, so that a busy number costs no query for each of its messages. */
export interface SessionCache {
  /** The caller's own session: 400 where the id has no JID's shape, 403 where it is not the caller's. */
  own(identity: Identity, field: string, id: string): Promise<StoredSession>
  stop(): void
}

export function makeSessionCache(store: Store): SessionCache {
  const cache = new Map<string, { session: StoredSession | undefined; until: number }>()
  const unsubscribe = store.signals.on('sessions', ({ sessionId }) => cache.delete(sessionId))

  async function get(id: string): Promise<StoredSession | undefined> {
    const cached = cache.get(id)
    if (cached !== undefined && cached.until > Date.now()) return cached.session
    const session = await store.sessions.getSession(id)
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(id, { session, until: Date.now() + BELIEVED_MS })
    return session
  }

  return {
    async own(identity, field, id) {
      const sessionId = parseSessionId(id)
      if (sessionId === undefined) throw invalid(`${field} must be a session JID such as 15551234567:1@s.whatsapp.net`)
      const session = await get(sessionId)
      if (session === undefined) throw foreignSession()
      requireOwn(identity, { accountId: session.accountId, sessionId: session.id })
      return session
    },
    stop: unsubscribe,
  }
}

/** Whether work can be handed to the session now: some worker holds it and its link is not given up. */
export function isReachable(session: StoredSession): boolean {
  return session.hosted && session.state !== 'disconnected' && session.state !== 'logged_out'
}

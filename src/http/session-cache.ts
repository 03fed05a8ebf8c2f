import type { Context } from '../context.ts'
import { foreignSession, invalid } from '../domain/errors.ts'
import { parseSessionId } from '../domain/jid.ts'
import { AsyncCache } from '../runtime/async-cache.ts'
import { aborted } from '../role.ts'
import type { Store } from '../store/store.ts'
import type { StoredSession } from '../store/sessions/sessions.ts'
import { type Identity, requireOwn } from './identity.ts'

const CACHED_MS = 250
const MAX_CACHED = 10_000

/** Sessions as they were 250 ms ago at most, so that a busy number costs no query for each of its messages. */
export class SessionCache {
  readonly #store: Pick<Store, 'sessions' | 'signals'>
  readonly #cache: AsyncCache<StoredSession | undefined>

  constructor({ store, clock }: Pick<Context, 'clock'> & { store: Pick<Store, 'sessions' | 'signals'> }) {
    this.#store = store
    this.#cache = new AsyncCache(MAX_CACHED, { ms: CACHED_MS, clock })
  }

  /** Drops sessions from the cache when they change, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#store.signals.on('sessions', ({ sessionId }) => this.#cache.forget(sessionId))
    await aborted(signal)
    unsubscribe()
  }

  /** The caller's session: 400 if the id is not a JID, 403 if the session is not the caller's. */
  async own(identity: Identity, field: string, id: string): Promise<StoredSession> {
    const sessionId = sessionIdOf(field, id)
    return checkOwn(identity, await this.#cache.get(sessionId, () => this.#store.sessions.getSession(sessionId)))
  }

  /** The same if the session is in the cache: a busy number's messages do not wait for a promise. */
  peekOwn(identity: Identity, field: string, id: string): StoredSession | undefined {
    const session = this.#cache.peek(sessionIdOf(field, id))
    return session && checkOwn(identity, session)
  }
}

function sessionIdOf(field: string, id: string): string {
  const sessionId = parseSessionId(id)
  if (sessionId === undefined)
    throw invalid(`${field} must be a session JID such as 15551234567:1@s.whatsapp.net`, field)
  return sessionId
}

function checkOwn(identity: Identity, session: StoredSession | undefined): StoredSession {
  if (session === undefined) throw foreignSession()
  requireOwn(identity, { accountId: session.accountId, sessionId: session.id })
  return session
}

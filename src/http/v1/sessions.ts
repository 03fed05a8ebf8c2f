import { aboutAutoReject } from '../../domain/sealed.ts'
import { ADDRESSINGS } from '../../domain/session.ts'
import type { StoredSession, SessionChange } from '../../store/sessions/sessions.ts'
import { type Identity, requireOwn } from '../identity.ts'
import { pagesOf } from '../page.ts'
import type { Deps } from '../deps.ts'
import { iso, isoOrNull, listOf, Nullable, OneOf, pageQuery, Strict, Time } from '../schemas.ts'
import { foreignSession } from '../../domain/errors.ts'
import type { Store } from '../../store/store.ts'
import { Type } from 'typebox'
import { addSandboxNumber } from '../../actions/add-sandbox-number.ts'
import { parsePhone } from '../../domain/jid.ts'
import { route } from '../route.ts'
import { requireAllSessions } from './pairings.ts'

export const BySession = Strict({
  id: Type.String({ description: 'The session JID, URL-encoded, with or without device number.' }),
})

export const SessionSchema = Strict({
  id: Type.String({ description: 'The session JID with its device number. Every request takes `id` and `jid` alike.' }),
  jid: Type.String({ description: 'The same without the device number: the `session_id` of events and deliveries.' }),
  phone: Type.String(),
  label: Type.String(),
  platform: OneOf(['whatsapp', 'sandbox'] as const),
  state: OneOf(['connecting', 'connected', 'disconnected', 'logged_out'] as const),
  hosted: Type.Boolean({ description: 'A worker runs this session now.' }),
  connected_at: Nullable(Time),
  last_event_at: Nullable(Time),
  auto_reject: Strict({ enabled: Type.Boolean(), message: Nullable(Type.String()) }),
  pace_ms: Type.Integer(),
  addressing: OneOf(ADDRESSINGS),
  restricted_until: Type.Optional(Time),
  reason: Nullable(
    Type.String({ description: 'Why the number is not connected, or is restricted or paused, in words for people.' }),
  ),
  until: Nullable(Time),
})

export function showSession({ seal, clock }: Pick<Deps, 'seal' | 'clock'>, session: StoredSession) {
  const restrictedUntil = session.restrictedUntil ?? 0
  const isRestricted = restrictedUntil > clock.now().getTime()
  return {
    id: session.device > 0 ? session.id.replace('@', `:${session.device}@`) : session.id,
    jid: session.id,
    phone: session.phone,
    label: session.label,
    platform: session.platform,
    state: session.state,
    hosted: session.hosted,
    connected_at: isoOrNull(session.connectedAt),
    last_event_at: isoOrNull(session.lastEventAt),
    auto_reject: { enabled: session.autoReject, message: autoRejectMessage({ seal }, session) },
    pace_ms: session.paceMs,
    addressing: session.addressing,
    ...(isRestricted ? { restricted_until: iso(restrictedUntil) } : {}),
    ...troubleOf(session, isRestricted),
  }
}

/** While the link is up, only a restriction by the platform is shown. */
function troubleOf(session: StoredSession, isRestricted: boolean): { reason: string | null; until: string | null } {
  const { state, linkReason, linkUntil, restrictedUntil } = session
  if (state !== 'connected') return { reason: linkReason, until: isoOrNull(linkUntil) }
  if (!isRestricted) return { reason: null, until: null }
  return { reason: 'the platform does not let this number write to new contacts', until: isoOrNull(restrictedUntil) }
}

function autoRejectMessage({ seal }: Pick<Deps, 'seal'>, session: StoredSession): string | null {
  if (session.autoRejectMessage === null) return null
  return seal.open(session.autoRejectMessage, aboutAutoReject(session.id)).toString('utf8')
}

/** The caller's session, read from the store instead of the cache. */
export async function freshSession(deps: Deps, identity: Identity, id: string): Promise<StoredSession> {
  const { id: sessionId } = await deps.sessions.own(identity, 'id', id)
  const session = await deps.store.sessions.getSession(sessionId)
  if (session === undefined) throw foreignSession()
  requireOwn(identity, { accountId: session.accountId, sessionId })
  return session
}

export const listSessions = route({
  method: 'GET',
  path: '/v1/sessions',
  tag: 'Numbers',
  summary: 'The linked numbers and their live state',
  description: 'Each with its state, and where it is down with the reason and, where known, until when.',
  scope: 'read',
  query: Strict(pageQuery),
  status: 200,
  work: 'heavy',
  response: listOf(SessionSchema),
  async handler({ identity, query }, deps) {
    const pages = pagesOf(deps, identity, 'sessions', query)
    const sessionIds = identity.sessionIds === null ? null : [...identity.sessionIds]
    const page = await deps.store.sessions.listSessions({
      accountId: identity.account.id,
      sessionIds,
      ...pages.request,
    })
    return pages.answer(page, session => showSession(deps, session))
  },
})

export const getSession = route({
  method: 'GET',
  path: '/v1/sessions/:id',
  tag: 'Numbers',
  summary: 'One number',
  description: 'By its JID, with the device or without it.',
  scope: 'read',
  params: BySession,
  status: 200,
  response: SessionSchema,
  handler: async ({ identity, params }, deps) => showSession(deps, await freshSession(deps, identity, params.id)),
})

export const patchSession = route({
  method: 'PATCH',
  path: '/v1/sessions/:id',
  tag: 'Numbers',
  summary: 'Rename a number, or set how it sends',
  description: 'What is not given stays as it is.',
  scope: 'manage',
  params: BySession,
  body: Strict({
    label: Type.Optional(Type.String({ maxLength: 100 })),
    pace_ms: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 600_000, description: 'Pause between two messages of this number.' }),
    ),
    addressing: Type.Optional(
      OneOf(ADDRESSINGS, {
        description:
          'How direct messages name people: `auto` by hidden identifier where there is one, `lid` by that or not at ' +
          'all, `pn` by number where it is known.',
      }),
    ),
  }),
  status: 200,
  response: SessionSchema,
  example: { body: { label: 'Support' } },
  async handler({ identity, params, body }, deps) {
    const session = await deps.sessions.own(identity, 'id', params.id)
    await changeSession(deps, {
      id: session.id,
      accountId: session.accountId,
      ...(body.label === undefined ? {} : { label: body.label }),
      ...(body.pace_ms === undefined ? {} : { paceMs: body.pace_ms }),
      ...(body.addressing === undefined ? {} : { addressing: body.addressing }),
    })
    return showSession(deps, await freshSession(deps, identity, params.id))
  },
})

export const setAutoReject = route({
  method: 'POST',
  path: '/v1/sessions/:id/calls/auto-reject',
  tag: 'Numbers',
  summary: 'Reject incoming calls by itself, with an optional message to the caller',
  description: 'Holds for every later call until it is set anew. Calls are told by webhook in any case.',
  scope: 'manage',
  params: BySession,
  body: Strict({
    enabled: Type.Boolean(),
    message: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 4096 }))),
  }),
  status: 200,
  response: Strict({ enabled: Type.Boolean(), message: Type.Optional(Nullable(Type.String())) }),
  example: { body: { enabled: true, message: 'Please write to us instead.' } },
  async handler({ identity, params, body }, deps) {
    const session = await deps.sessions.own(identity, 'id', params.id)
    const message = body.message == null ? null : deps.seal.seal(body.message, aboutAutoReject(session.id))
    await changeSession(deps, {
      id: session.id,
      accountId: session.accountId,
      autoReject: { enabled: body.enabled, message },
    })
    return body
  },
})

/** Changes the settings that are given; the store checks the owner in the same transaction. */
export async function changeSession(
  { store }: { store: Pick<Store, 'sessions'> },
  change: SessionChange,
): Promise<void> {
  if ((await store.sessions.updateSession(change)) === 'foreign') throw foreignSession()
}

export const createSandboxSession = route({
  method: 'POST',
  path: '/v1/sessions',
  tag: 'Numbers',
  summary: 'Add a sandbox number, linked and connected: everything works on it, nothing leaves the machine',
  description: 'Real numbers are linked with POST /v1/pairings.',
  scope: 'manage',
  body: Strict({
    platform: OneOf(['sandbox'] as const),
    phone: Type.Optional(Type.String({ maxLength: 30, description: 'Begins with 999; made up when absent.' })),
    label: Type.Optional(Type.String({ maxLength: 100 })),
  }),
  status: 201,
  response: SessionSchema,
  errors: [502],
  example: { body: { platform: 'sandbox', label: 'Tests' } },
  async handler({ identity, body }, deps) {
    requireAllSessions(identity)
    const phone = body.phone === undefined ? null : parsePhone('phone', body.phone)
    const request = { accountId: identity.account.id, phone, label: body.label ?? '' }
    return showSession(deps, await addSandboxNumber(deps, request))
  },
})

import { aboutAutoReject } from '../../domain/sealed.ts'
import { ADDRESSINGS, APPEARANCES, NEW_CHAT_STATUSES, type NewChatCap } from '../../domain/session.ts'
import type { StoredSession, SessionChange } from '../../store/sessions/sessions.ts'
import { type Identity, requireOwn } from '../identity.ts'
import { pagesOf } from '../page.ts'
import type { Deps } from '../deps.ts'
import { DescribedTime, iso, isoOrNull, listOf, Nullable, OneOf, pageQuery, Strict, Time } from '../schemas.ts'
import { conflicting, foreignSession } from '../../domain/errors.ts'
import { MAX_NEW_PER_DAY, MAX_PAUSE_MS, MAX_RAMP_DAYS, type Pace } from '../../domain/pace.ts'
import type { Store } from '../../store/store.ts'
import { Type } from '../type.ts'
import { addSandboxNumber } from '../../actions/add-sandbox-number.ts'
import { type PaceBody, parsePace } from '../../domain/parse-pace.ts'
import { parsePhone } from '../../domain/jid.ts'
import { route } from '../route.ts'
import { requireAllSessions } from './pairings.ts'
import { ProxySchema, showProxy } from './proxy-schema.ts'

export const BySession = Strict({
  id: Type.String({ description: 'The session JID, URL-encoded, with or without its device number.' }),
})

const Quiet = Strict(
  {
    from: Type.String({ maxLength: 5, description: 'HH:MM.', examples: ['22:00'] }),
    to: Type.String({ maxLength: 5, description: 'HH:MM. The hours may go past midnight.', examples: ['07:00'] }),
    time_zone: Type.String({ maxLength: 64, description: 'An IANA time zone.', examples: ['Europe/Berlin'] }),
  },
  { description: 'Hours in which the number writes only to people who have written to it within 24 hours.' },
)

const pauseOf = (description: string) => Type.Integer({ minimum: 0, maximum: MAX_PAUSE_MS, description })
const paceFields = {
  min_ms: pauseOf('The shortest pause between two messages.'),
  max_ms: pauseOf('The longest pause. The gateway draws each pause between both.'),
  new_per_day: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: MAX_NEW_PER_DAY,
      description: 'How many people without an earlier conversation the number may write to within 24 hours.',
    }),
  ),
  ramp_days: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: MAX_RAMP_DAYS,
      description:
        'For so many days after the number was linked, `new_per_day` grows in equal steps from a small start.',
    }),
  ),
  quiet: Nullable(Quiet),
}
const ShownPace = Strict(paceFields)
const PaceSchema = Strict(
  {
    min_ms: Type.Optional(paceFields.min_ms),
    max_ms: Type.Optional(paceFields.max_ms),
    new_per_day: Type.Optional(paceFields.new_per_day),
    ramp_days: Type.Optional(paceFields.ramp_days),
    quiet: Type.Optional(paceFields.quiet),
  },
  {
    description:
      'How the number paces its messages. It replaces the whole pace: a rule that you leave out does not apply. `null` ' +
      'sends as fast as the platform accepts messages. Messages that wait show `held_until` and `held_because`.',
  },
)

export const SessionSchema = Strict({
  id: Type.String({
    description: 'The session JID with its device number. Every request accepts both `id` and `jid`.',
  }),
  jid: Type.String({
    description: 'The session JID without its device number. Events and deliveries have it as `session_id`.',
  }),
  phone: Type.String(),
  label: Type.String(),
  platform: OneOf(['whatsapp', 'sandbox'] as const),
  state: OneOf(['connecting', 'connected', 'disconnected', 'logged_out'] as const),
  hosted: Type.Boolean({ description: 'Whether a worker runs this session now.' }),
  connected_at: Nullable(Time),
  last_event_at: Nullable(Time),
  auto_reject: Strict({ enabled: Type.Boolean(), message: Nullable(Type.String()) }),
  pace_ms: Type.Integer({ description: 'The same as `pace.min_ms`, or 0 without a pace.' }),
  pace: Nullable(ShownPace),
  addressing: OneOf(ADDRESSINGS),
  appear: OneOf(APPEARANCES),
  paused: Type.Boolean({ description: 'Whether you have stopped the number. It stays linked, and does not connect.' }),
  proxy: Nullable(ProxySchema),
  restricted_until: Type.Optional(
    DescribedTime('Until this time, the platform does not let the number write to new contacts.'),
  ),
  restriction_type: Type.Optional(
    Type.String({
      description:
        'The platform’s name for the kind of the restriction, such as `restrict_all_companions`: only linked devices are restricted, the phone is not.',
    }),
  ),
  new_chats: Type.Optional(
    Strict(
      {
        status: OneOf(NEW_CHAT_STATUSES),
        limit: Nullable(Type.Integer()),
        used: Nullable(Type.Integer()),
        until: Nullable(DescribedTime('The end of the period that `limit` and `used` count.')),
        as_of: Time,
      },
      { description: 'How many new chats the platform lets the number begin, if it has reported that.' },
    ),
  ),
  reason: Nullable(
    Type.String({ description: 'Why the number is not connected, is restricted or is paused. For people.' }),
  ),
  until: Nullable(
    DescribedTime('When the cause in `reason` ends automatically. Null if it does not, or if that is not known.'),
  ),
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
    pace_ms: session.pace?.minMs ?? 0,
    pace: session.pace && showPace(session.pace),
    addressing: session.addressing,
    appear: session.appear,
    paused: session.paused,
    proxy: showProxy({ seal }, session),
    ...(isRestricted ? { restricted_until: iso(restrictedUntil) } : {}),
    ...(isRestricted && session.restrictionType !== null ? { restriction_type: session.restrictionType } : {}),
    ...(session.newChatCap === null ? {} : { new_chats: showCap(session.newChatCap) }),
    ...troubleOf(session, clock.now().getTime()),
  }
}

const showPace = ({ minMs, maxMs, newPerDay, rampDays, quiet }: Pace) => ({
  min_ms: minMs,
  max_ms: maxMs,
  new_per_day: newPerDay,
  ramp_days: rampDays,
  quiet: quiet && { from: quiet.from, to: quiet.to, time_zone: quiet.timeZone },
})

const showCap = ({ status, limit, used, untilMs, asOfMs }: NewChatCap) => ({
  status,
  limit,
  used,
  until: isoOrNull(untilMs),
  as_of: iso(asOfMs),
})

/** Restrictions that the platform applies only to linked devices. */
const OF_COMPANIONS: ReadonlySet<string | null> = new Set(['restrict_all_companions', 'web_companion_only'])

/** While the link is up, it shows that no message gets through, or restrictions and limits of the platform. */
function troubleOf(session: StoredSession, nowMs: number): { reason: string | null; until: string | null } {
  const { state, linkReason, linkUntil, restrictedUntil, restrictionType, newChatCap: cap } = session
  if (state !== 'connected' || linkReason !== null) return { reason: linkReason, until: isoOrNull(linkUntil) }
  if ((restrictedUntil ?? 0) > nowMs) {
    const who = OF_COMPANIONS.has(restrictionType) ? 'linked devices of this number' : 'this number'
    return { reason: `the platform does not let ${who} write to new contacts`, until: isoOrNull(restrictedUntil) }
  }
  if (cap?.status === 'capped' && (cap.untilMs ?? nowMs + 1) > nowMs)
    return { reason: 'the number has reached the platform’s limit of new chats', until: isoOrNull(cap.untilMs) }
  return { reason: null, until: null }
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
  summary: 'List the linked numbers with their current state',
  description: 'If a number is not connected, `reason` says why, and `until` says when that ends, if it is known.',
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
  summary: 'Get a number',
  description: 'You can use its JID with or without the device number.',
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
  summary: 'Rename a number, change how it sends and appears, or pause it',
  description: 'Fields that you leave out do not change.',
  scope: 'manage',
  params: BySession,
  body: Strict({
    label: Type.Optional(Type.String({ maxLength: 100 })),
    pace_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 600_000,
        description:
          'The pause between two messages of this number, in milliseconds. The same as `pace` with this `min_ms` and `max_ms`; its other rules stay.',
      }),
    ),
    pace: Type.Optional(Nullable(PaceSchema)),
    addressing: Type.Optional(
      OneOf(ADDRESSINGS, {
        description:
          'How direct messages address people. `auto` uses the hidden identifier if there is one, `lid` uses only that, ' +
          'and `pn` uses the phone number if the gateway knows it.',
      }),
    ),
    appear: Type.Optional(
      OneOf(APPEARANCES, {
        description:
          'Whether contacts see the number online. While they do, the phone of the number shows no notifications. `auto` ' +
          'is online only while a webhook with an `events_url`, a listener of typing or presence, or a presence ' +
          'subscription needs it, and while the number shows that it is typing. An `offline` number receives no typing ' +
          'and presence events.',
      }),
    ),
    paused: Type.Optional(
      Type.Boolean({
        description:
          'Whether the number is stopped. It stays linked and does not connect until you set this to `false`, also after a ' +
          'restart of the gateway. New messages are rejected with 409 meanwhile, and the platform keeps what people write.',
      }),
    ),
  }),
  status: 200,
  response: SessionSchema,
  example: { body: { label: 'Support' } },
  async handler({ identity, params, body }, deps) {
    if (body.pace !== undefined && body.pace_ms !== undefined)
      throw conflicting('pace_ms does not go with pace: give pace.min_ms and pace.max_ms', 'pace_ms')
    const pace = body.pace == null ? body.pace : parsePace(body.pace as PaceBody)
    const session = await deps.sessions.own(identity, 'id', params.id)
    await changeSession(deps, {
      id: session.id,
      accountId: session.accountId,
      ...(body.label === undefined ? {} : { label: body.label }),
      ...(body.pace_ms === undefined ? {} : { paceMs: body.pace_ms }),
      ...(pace === undefined ? {} : { pace }),
      ...(body.addressing === undefined ? {} : { addressing: body.addressing }),
      ...(body.appear === undefined ? {} : { appear: body.appear }),
      ...(body.paused === undefined ? {} : { paused: body.paused }),
    })
    return showSession(deps, await freshSession(deps, identity, params.id))
  },
})

export const setAutoReject = route({
  method: 'POST',
  path: '/v1/sessions/:id/calls/auto-reject',
  tag: 'Numbers',
  summary: 'Reject incoming calls automatically, with an optional message to the caller',
  description:
    'The setting applies to every later call until you change it. You receive call events whether or not the gateway rejects calls.',
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
  summary: 'Create a sandbox number, which is linked and connected immediately',
  description:
    'A sandbox number supports every operation, and nothing leaves the machine. Use POST /v1/pairings to link a real number.',
  scope: 'manage',
  body: Strict({
    platform: OneOf(['sandbox'] as const),
    phone: Type.Optional(
      Type.String({
        maxLength: 30,
        description: 'A number that begins with 999. The gateway chooses one if you give none.',
      }),
    ),
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

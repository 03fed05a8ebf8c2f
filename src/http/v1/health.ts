import { BOUNDS } from '../../domain/bounds.ts'
import { HEALTH_DAYS, HEALTH_STATUSES, healthStatus } from '../../domain/health.ts'
import { type Ban, NEW_CHAT_STATUSES } from '../../domain/session.ts'
import type { CountedHealth } from '../../store/sessions/health.ts'
import type { StoredSession } from '../../store/sessions/sessions.ts'
import { route } from '../route.ts'
import { DescribedTime, iso, isoOrNull, Nullable, OneOf, Strict, upTo } from '../schemas.ts'
import { Type } from '../type.ts'
import { BySession, freshSession } from './sessions.ts'

const AsOf = DescribedTime('When the platform said so, or when the gateway counted.')
const Until = Nullable(DescribedTime('When it ends. Null if the platform does not say.'))

const HealthSchema = Strict({
  session_id: Type.String(),
  status: OneOf(HEALTH_STATUSES, {
    description:
      'The worst that holds now. `warned`: the number nears the limit of new chats. `restricted`: it may not begin chats. `banned`: the platform refuses its logins.',
  }),
  restriction: Nullable(
    Strict(
      {
        active: Type.Boolean(),
        type: Nullable(
          Type.String({ description: 'The platform’s name for its kind, such as `restrict_all_companions`.' }),
        ),
        until: Until,
        as_of: AsOf,
      },
      { description: 'Whether the number may write to people who have not written to it. Null if never reported.' },
    ),
  ),
  ban: Nullable(
    Strict(
      { reason: Type.String({ description: 'For people.' }), until: Until, as_of: AsOf },
      { description: 'The platform refuses every login. Null after a login that it accepted.' },
    ),
  ),
  new_chats: Nullable(
    Strict(
      {
        status: OneOf(NEW_CHAT_STATUSES),
        limit: Nullable(Type.Integer()),
        used: Nullable(Type.Integer()),
        until: Nullable(DescribedTime('The end of the period that `limit` and `used` count.')),
        as_of: AsOf,
      },
      { description: 'How many chats the platform lets the number begin. Null if it has reported no limit.' },
    ),
  ),
  answered: Strict(
    {
      chats: Type.Integer({ description: 'Direct chats that the number has written to.' }),
      answered: Type.Integer({ description: 'Those in which the other person has written in the last 30 days.' }),
      share: Nullable(Type.Number({ description: '`answered` divided by `chats`. Null without chats.' })),
      since: DescribedTime('Older messages do not count.'),
      as_of: AsOf,
    },
    {
      description:
        'How many people answer. A low share looks like spam. The gateway counts the newest 5,000 messages of the account.',
    },
  ),
  refusals: Strict(
    {
      codes: upTo(
        BOUNDS.refusalCodes,
        Strict({
          code: Type.Integer({
            description: 'The platform’s code. 463: the number may not begin this chat. 475: too many new chats.',
          }),
          count: Type.Integer(),
          last_at: DescribedTime('When the platform last refused a message with this code.'),
        }),
      ),
      since: DescribedTime('Older refusals do not count.'),
      as_of: AsOf,
    },
    { description: 'The messages that the platform refused.' },
  ),
})

const DAY_MS = 86_400_000

const showBan = ({ reason, untilMs, asOfMs }: Ban) => ({ reason, until: isoOrNull(untilMs), as_of: iso(asOfMs) })

function showHealth(session: StoredSession, { refusals, chats, answered }: CountedHealth, nowMs: number) {
  const { restrictedUntil, restrictionType, restrictedAt, newChatCap, ban } = session
  const counted = { since: iso(nowMs - HEALTH_DAYS * DAY_MS), as_of: iso(nowMs) }
  const isRestricted = (restrictedUntil ?? 0) > nowMs
  return {
    session_id: session.id,
    status: healthStatus(session, nowMs),
    restriction:
      restrictedAt === null
        ? null
        : {
            active: isRestricted,
            type: isRestricted ? restrictionType : null,
            until: isRestricted ? isoOrNull(restrictedUntil) : null,
            as_of: iso(restrictedAt),
          },
    ban: ban && showBan(ban),
    new_chats: newChatCap && {
      status: newChatCap.status,
      limit: newChatCap.limit,
      used: newChatCap.used,
      until: isoOrNull(newChatCap.untilMs),
      as_of: iso(newChatCap.asOfMs),
    },
    answered: { chats, answered, share: chats === 0 ? null : answered / chats, ...counted },
    refusals: {
      codes: refusals.map(({ code, count, lastAt }) => ({ code, count, last_at: iso(lastAt) })),
      ...counted,
    },
  }
}

export const getHealth = route({
  method: 'GET',
  path: '/v1/sessions/:id/health',
  tag: 'Numbers',
  summary: 'Get the health of a number',
  description:
    'What the platform has reported about the number: restrictions, bans and its limit of new chats; and what the gateway has counted in the last seven days: people who answer, and messages that the platform refused. It sends no query, and works while the number is offline. An endpoint that includes `health` gets an event when the platform warns, restricts or bans the number, or no longer does.',
  scope: 'read',
  params: BySession,
  status: 200,
  work: 'heavy',
  response: HealthSchema,
  async handler({ identity, params }, deps) {
    const session = await freshSession(deps, identity, params.id)
    const nowMs = deps.clock.now().getTime()
    const { id: sessionId, accountId } = session
    return showHealth(session, await deps.store.sessions.countHealth({ sessionId, accountId, nowMs }), nowMs)
  },
})

import { Type } from '../type.ts'
import { resolveMessageId } from '../../actions/resolve-message-id.ts'
import { notFound, tooManyHistoryWait, wrongState } from '../../domain/errors.ts'
import { HISTORY_STATES, HISTORY_WAIT_MS, type HistoryJob, MAX_HISTORY } from '../../domain/history.ts'
import { makeId, makePlatformId } from '../../domain/ids.ts'
import { route } from '../route.ts'
import { iso, Nullable, OneOf, Strict, Time } from '../schemas.ts'
import { ByChat, parseChat } from './chats.ts'
import { ask } from './session-actions.ts'
import { BySession } from './sessions.ts'

const Job = Strict({
  id: Type.String({ examples: ['job_01jd3kqv5m2x7n8p9r0s1t2v3w'] }),
  chat_jid: Nullable(Type.String({ description: '`null` for the history after linking, which has all chats.' })),
  state: OneOf(HISTORY_STATES, {
    description:
      '`waiting` until the phone answers, `receiving` while parts arrive. `expired`: it did not answer in 24 hours. `failed`: what it sent cannot be read.',
  }),
  count: Type.Integer({ description: 'How many messages were asked for.' }),
  found: Type.Integer({ description: 'How many became events. Messages that the gateway knew already do not count.' }),
  more: Nullable(Type.Boolean({ description: 'Whether the phone has still older messages, once it has said so.' })),
  created_at: Time,
  updated_at: Time,
  ends_at: Time,
})

const showJob = (job: HistoryJob) => ({
  id: job.id,
  chat_jid: job.chatJid,
  state: job.state,
  count: job.wanted,
  found: job.found,
  more: job.hasMore,
  created_at: iso(job.createdAt),
  updated_at: iso(job.updatedAt),
  ends_at: iso(job.endsAt),
})

export const requestHistory = route({
  method: 'POST',
  path: '/v1/sessions/:id/chats/:jid/history',
  tag: 'Chats',
  summary: 'Request older messages of a chat from the phone',
  description:
    'The phone of the number sends the messages before `before_message_id`. They arrive as events of kind `message` with `historic: true` at endpoints that include `history`, each once. If the phone is asleep, the gateway waits for 24 hours.',
  scope: 'read',
  params: ByChat,
  body: Strict({
    before_message_id: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'A message of the chat that the gateway knows, by its id on the platform or of the gateway.',
    }),
    before_timestamp_unix: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 253_402_300_799,
        description: 'Its `timestamp_unix`, for a phone that does not have that message any more.',
      }),
    ),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_HISTORY, default: 50 })),
  }),
  status: 202,
  response: Job,
  errors: [409, 429, 502],
  example: { body: { before_message_id: '3EB0A1B2C3D4E5F6', count: 100 } },
  async handler({ body, ...incoming }, deps) {
    const { identity, params } = incoming
    const { store } = deps
    const session = await deps.sessions.own(identity, 'id', params.id)
    const chatJid = parseChat(params.jid)
    if (!(await store.endpoints.isIncluded({ sessionId: session.id, word: 'history' })))
      throw wrongState('no endpoint of the number includes history: create one with "include": ["history"]')
    const beforeMessageId = await resolveMessageId(deps, session.accountId, 'before_message_id', body.before_message_id)
    const count = body.count ?? 50
    const [id, platformId] = [makeId('job'), makePlatformId()]
    // Before it is sent: the phone may answer at once.
    const job = { id, sessionId: session.id, chatJid, platformId, wanted: count, waitMs: HISTORY_WAIT_MS }
    if ((await store.historyJobs.addHistoryJob(job)) === 'crowded') throw tooManyHistoryWait()
    const beforeMs = body.before_timestamp_unix === undefined ? null : body.before_timestamp_unix * 1000
    try {
      const request = { kind: 'history_request', platformId, chatJid, beforeMessageId, beforeMs, count } as const
      await ask(deps, incoming, request, 'done')
    } catch (error) {
      await store.historyJobs.dropHistoryJob(id)
      throw error
    }
    const added = await store.historyJobs.getHistoryJob(id)
    if (added === undefined) throw notFound('history job')
    return showJob(added)
  },
})

export const getHistoryJob = route({
  method: 'GET',
  path: '/v1/sessions/:id/history/:job',
  tag: 'Chats',
  summary: 'Get a request for older messages',
  description: 'The gateway keeps it for a week.',
  scope: 'read',
  params: Strict({ ...BySession.properties, job: Type.String({ description: 'The id of the request.' }) }),
  status: 200,
  response: Job,
  errors: [404],
  async handler({ identity, params }, deps) {
    const session = await deps.sessions.own(identity, 'id', params.id)
    const job = await deps.store.historyJobs.getHistoryJob(params.job)
    if (job === undefined || job.sessionId !== session.id) throw notFound('history job')
    return showJob(job)
  },
})

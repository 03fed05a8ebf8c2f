import type { FastifyReply } from 'fastify'
import { Type } from '../type.ts'
import { followUp } from '../../actions/follow-up.ts'
import { awaitServerId, composeSend, type SendAnswer, sendMessage } from '../../actions/send-message.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { invalid, notFound, wrongState } from '../../domain/errors.ts'
import { jidKind } from '../../domain/jid.ts'
import {
  FOLLOW_UP_STATES,
  MESSAGE_STATES,
  type Message,
  type MessageState,
  type Outgoing,
} from '../../domain/message.ts'
import { HOLD_REASONS } from '../../domain/pace.ts'
import { aboutMessage } from '../../domain/sealed.ts'
import { isReachable } from '../../domain/session.ts'
import type { StateChange } from '../../store/messages/messages.ts'
import { begunOf } from '../begun-request.ts'
import { type Identity, requireOwn } from '../identity.ts'
import { type MessageDetails, readDetails } from '../message-details.ts'
import { pagesOf } from '../page.ts'
import type { Deps } from '../deps.ts'
import { LARGE_BODY, route } from '../route.ts'
import {
  ById,
  DescribedTime,
  iso,
  isoOrNull,
  listOf,
  Nullable,
  OneOf,
  pageQuery,
  Strict,
  Time,
  upTo,
} from '../schemas.ts'
import { SendBodySchema } from './send-schema.ts'
import type { Store } from '../../store/store.ts'

const Accepted = Strict({
  message_id: Type.String(),
  request_id: Type.String(),
  session_id: Type.String(),
  to: Type.String(),
  status: Type.String({ const: 'queued' }),
  server_id: Type.Optional(Type.Integer({ description: 'Present for a channel that the number manages.' })),
})

const messageFields = {
  id: Type.String(),
  session_id: Type.String(),
  request_id: Type.String(),
  to: Type.String(),
  type: Type.String(),
  state: OneOf(MESSAGE_STATES),
  messenger_message_id: Type.String(),
  server_id: Nullable(Type.Integer()),
  reason: Nullable(Type.String()),
  detail: Nullable(Type.String()),
  send_at: Nullable(Time),
  held_until: Nullable(
    DescribedTime('The pace of the number holds the message until this time. The gateway decides again then.'),
  ),
  held_because: Nullable(
    OneOf(HOLD_REASONS, {
      description:
        'Why it is held: the pause after the message before it (`pace`), the budget of new contacts, or quiet hours. Null if it is not held.',
    }),
  ),
  preview: Nullable(
    Type.String({
      description: 'The beginning of the text. Only messages of sandbox numbers have it, until the gateway deletes it.',
    }),
  ),
  created_at: Time,
  updated_at: Time,
}

export const MessageSchema = Strict(messageFields)

export const postMessage = route({
  method: 'POST',
  path: '/v1/messages',
  tag: 'Messages',
  summary: 'Send a message',
  description:
    'The gateway accepts the message, sends it afterwards and reports the outcome with webhook events. Give exactly one content: ' +
    'text, media, reaction, location, contacts, poll, buttons, carousel, list, event, event change, event answer, album, forward, pin or keep. Use an Idempotency-Key and ' +
    'repeat it when you retry: the same key returns the same response and never sends a second message.',
  scope: 'send',
  headers: Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({ description: '1 to 255 visible ASCII characters. Events have it as request_id.' }),
    ),
  }),
  body: SendBodySchema,
  bodyLimit: LARGE_BODY,
  status: 202,
  work: 'free',
  response: Accepted,
  errors: [409, 502],
  example: {
    headers: { 'Idempotency-Key': 'order-1001-shipped' },
    body: { session_id: '999100200300:1@s.whatsapp.net', to: '+1 555 123 4567', text: 'Your order is on its way.' },
  },
  async handler({ identity, body, headers, reply, gone, trace }, deps) {
    const outcome = begunOf(reply.request.raw)?.outcome
    if (outcome !== undefined) return answer(outcome(), reply)
    const idempotencyKey = parseIdempotencyKey(headers['idempotency-key'])
    const composed = composeSend(deps, body)
    const session =
      deps.sessions.peekOwn(identity, 'session_id', body.session_id) ??
      (await deps.sessions.own(identity, 'session_id', body.session_id))
    const request = {
      account: identity.account,
      sessionId: session.id,
      sessionIds: identity.sessionIds,
      state: session.state,
      reachable: isReachable(session),
      body,
      idempotencyKey,
      trace,
    }
    const sent = await sendMessage(deps, request, composed)
    return answer(jidKind(sent.to) === 'channel' ? await awaitServerId(deps, sent, gone) : sent, reply)
  },
})

function answer(sent: SendAnswer, reply: FastifyReply): ReturnType<typeof showAccepted> {
  if (sent.repeated) void reply.header('Idempotent-Replayed', 'true')
  return showAccepted(sent)
}

export function parseIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw invalid('Idempotency-Key must be 1 to 255 visible ASCII characters', 'Idempotency-Key')
  }
  return header
}

export const showAccepted = ({ messageId, requestId, sessionId, to, serverId }: SendAnswer) => ({
  message_id: messageId,
  request_id: requestId,
  session_id: sessionId,
  to,
  status: 'queued',
  ...(serverId === null ? {} : { server_id: serverId }),
})

export async function ownMessage(
  { store }: { store: Pick<Store, 'messages'> },
  identity: Identity,
  id: string,
): Promise<Message> {
  const message = await store.messages.getMessage(id)
  if (message === undefined) throw notFound('message')
  requireOwn(identity, message)
  return message
}

export const listMessages = route({
  method: 'GET',
  path: '/v1/messages',
  tag: 'Messages',
  summary: 'List the messages that you sent, newest first',
  description:
    'With a filter, a page may be short or empty and still have a `next_cursor`, because older messages may match.',
  scope: 'read',
  query: Strict({
    ...pageQuery,
    session_id: Type.Optional(Type.String({ maxLength: 100 })),
    state: Type.Optional(OneOf(MESSAGE_STATES)),
  }),
  status: 200,
  response: listOf(MessageSchema),
  async handler({ identity, query }, deps) {
    const pages = pagesOf(deps, identity, 'messages', query)
    const session =
      query.session_id === undefined ? undefined : await deps.sessions.own(identity, 'session_id', query.session_id)
    const page = await deps.store.messages.listMessages({
      accountId: identity.account.id,
      sessionIds: identity.sessionIds === null ? null : [...identity.sessionIds],
      ...(session === undefined ? {} : { sessionId: session.id }),
      ...(query.state === undefined ? {} : { state: query.state as MessageState }),
      ...pages.request,
    })
    const details = await readDetails(deps, page.data)
    return pages.answer(page, message => showMessage(message, details))
  },
})

/** The record has each state of the message and of its follow-ups once, and the receipts. */
const MAX_HISTORY = BOUNDS.receiptsShown + MESSAGE_STATES.length + FOLLOW_UP_STATES.length

export const getMessage = route({
  method: 'GET',
  path: '/v1/messages/:id',
  tag: 'Messages',
  summary: 'Get a message with the history of its states',
  description: 'The response has the content only while the message waits, and for sandbox numbers.',
  scope: 'read',
  params: ById,
  status: 200,
  work: 'heavy',
  response: Strict({
    ...messageFields,
    history: upTo(
      MAX_HISTORY,
      Strict({
        state: Type.String({ description: 'A state of the message, or edited, edit_failed, revoked, revoke_failed.' }),
        at: Time,
        recipient: Type.Optional(Type.String()),
        detail: Type.Optional(
          Type.String({ description: 'Why an edit or a revoke failed. For people: do not parse it.' }),
        ),
      }),
    ),
    content: Type.Optional(Type.Unknown()),
  }),
  errors: [404],
  async handler({ identity, params }, deps) {
    const message = await ownMessage(deps, identity, params.id)
    const states = await deps.store.messages.readMessageStates(message.id)
    const details = await readDetails(deps, [message])
    return {
      ...showMessage(message, details),
      history: showHistory(message, states),
      ...(await showContent(deps, message)),
    }
  },
})

export const listViewers = route({
  method: 'GET',
  path: '/v1/messages/:id/viewers',
  tag: 'Messages',
  summary: 'List the people who have seen a status post, or read a message',
  description:
    'In the order of their JIDs. People whose privacy settings hide that they have read something are never in the list. The list is kept as long as the message.',
  scope: 'read',
  params: ById,
  query: Strict(pageQuery),
  status: 200,
  response: listOf(Strict({ jid: Type.String(), seen_at: Time })),
  errors: [404],
  async handler({ identity, params, query }, deps) {
    const message = await ownMessage(deps, identity, params.id)
    const pages = pagesOf(deps, identity, `viewers ${message.id}`, query)
    const page = await deps.store.messages.listViewers({ messageId: message.id, ...pages.request })
    return pages.answer(page, ({ jid, at }) => ({ jid, seen_at: iso(Math.max(at, message.createdAt)) }))
  },
})

/** The content is readable before it is sent, and afterwards in the sandbox alone. */
async function showContent({ store, seal }: Deps, message: Message): Promise<{ content?: Outgoing }> {
  const waits = message.state === 'queued' || message.state === 'scheduled'
  const session = waits ? undefined : await store.sessions.getSession(message.sessionId)
  if (!waits && session?.platform !== 'sandbox') return {}
  const sealed = await store.messages.readMessageContent(message.id)
  return sealed === undefined ? {} : { content: seal.openJson<Outgoing>(sealed, aboutMessage(message.id)) }
}

export const editMessage = route({
  method: 'PATCH',
  path: '/v1/messages/:id',
  tag: 'Messages',
  summary: 'Edit the text of a message for everyone',
  description:
    'You can edit texts and captions of media for as long as the platform allows it. The history of `GET /v1/messages/{id}` has the outcome.',
  scope: 'send',
  params: ById,
  body: Strict({ text: Type.String({ minLength: 1, maxLength: 65_536 }) }),
  bodyLimit: LARGE_BODY,
  status: 202,
  response: Strict({ id: Type.String(), status: Type.String() }),
  errors: [404],
  example: { body: { text: 'Your order arrives tomorrow.' } },
  async handler({ identity, params, body, trace }, deps) {
    const message = await ownMessage(deps, identity, params.id)
    if (message.type !== 'text' && message.type !== 'media')
      throw wrongState(`a ${message.type} message cannot be edited`)
    await followUp(deps, message, { kind: 'edit', text: body.text }, trace)
    return { id: message.id, status: 'queued' }
  },
})

export const deleteMessage = route({
  method: 'DELETE',
  path: '/v1/messages/:id',
  tag: 'Messages',
  summary: 'Revoke a message for everyone, or cancel a waiting message',
  description:
    'The gateway cancels a message that it has not sent yet. It revokes a sent message on the phones of all recipients if the platform still allows it.',
  scope: 'send',
  params: ById,
  status: 202,
  response: Strict({ id: Type.String(), status: Type.String() }),
  errors: [404],
  async handler({ identity, params, trace }, deps) {
    const message = await ownMessage(deps, identity, params.id)
    if (message.state === 'cancelled') return { id: message.id, status: 'cancelled' }
    const waits = message.state === 'queued' || message.state === 'scheduled'
    if (waits && (await deps.store.messages.cancelMessage(message.id)) === 'cancelled')
      return { id: message.id, status: 'cancelled' }
    await followUp(deps, message, { kind: 'revoke' }, trace)
    return { id: message.id, status: 'queued' }
  },
})

export const showMessage = (message: Message, { previews, holds }: MessageDetails) => ({
  id: message.id,
  session_id: message.sessionId,
  request_id: message.requestId,
  to: message.to,
  type: message.type,
  state: message.state,
  messenger_message_id: message.platformId,
  server_id: message.serverId,
  reason: message.reason,
  detail: message.detail,
  send_at: isoOrNull(message.sendAt),
  held_until: isoOrNull(holds.get(message.id)?.untilMs ?? null),
  held_because: holds.get(message.id)?.because ?? null,
  preview: previews.get(message.id) ?? null,
  created_at: iso(message.createdAt),
  updated_at: iso(message.updatedAt),
})

interface Shown {
  state: string
  at: string
  recipient?: string
  detail?: string
}

/**
 * The platform reports whole seconds, so a time in the second of the acceptance is shown as the time of the acceptance.
 * Changes follow the states of the same moment. There may be thousands of receipts, so only those that are shown are copied.
 */
function showHistory({ createdAt, sendAt }: Message, states: StateChange[]): Shown[] {
  const later = states
    .map(change => ({ change, at: Math.max(change.at, createdAt), rank: RANKS.get(change.state) ?? RANKS.size }))
    .sort((a, b) => a.at - b.at || a.rank - b.rank)
  const shown: Shown[] = [{ state: sendAt === null ? 'queued' : 'scheduled', at: iso(createdAt) }]
  for (const { change, at } of later) {
    const entry: Shown = { state: change.state, at: iso(at) }
    if (change.recipient !== '') entry.recipient = change.recipient
    if (change.detail !== null) entry.detail = change.detail
    shown.push(entry)
  }
  return shown
}

const RANKS: ReadonlyMap<string, number> = new Map(MESSAGE_STATES.map((state, rank) => [state, rank]))

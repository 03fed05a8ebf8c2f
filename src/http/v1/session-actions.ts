import { Type } from '../type.ts'
import { sendSessionRequest, queueSessionRequest } from '../../actions/send-request.ts'
import { resolveMessageId } from '../../actions/resolve-message-id.ts'
import { unlinkSession } from '../../actions/unlink-session.ts'
import type { CommandResult, SessionRequest } from '../../domain/command.ts'
import { GatewayError, invalid, notHosted, wrongState } from '../../domain/errors.ts'
import { jidKind, parseContact, parseRecipient } from '../../domain/jid.ts'
import { isReachable } from '../../domain/session.ts'
import type { Identity } from '../identity.ts'
import type { Deps } from '../deps.ts'
import { route } from '../route.ts'
import { OneOf, Strict, upTo } from '../schemas.ts'
import { BySession, freshSession, SessionSchema, showSession } from './sessions.ts'

const Jid = Type.String({ minLength: 1, maxLength: 100, description: 'A JID or a phone number.' })
const MessageId = Type.String({ minLength: 1, maxLength: 100 })

/** Sends a request to the number's worker: 403 if the number is another account's, 409 if no worker runs it. */
export async function requestOwn(
  deps: Deps,
  incoming: { identity: Identity; params: { id: string }; gone: () => AbortSignal },
  request: SessionRequest | ((accountId: string) => Promise<SessionRequest>),
): Promise<CommandResult> {
  const session = await deps.sessions.own(incoming.identity, 'id', incoming.params.id)
  if (!isReachable(session)) throw notHosted(session.state)
  const given = typeof request === 'function' ? await request(session.accountId) : request
  return await sendSessionRequest(deps, { sessionId: session.id, accountId: session.accountId }, given, incoming.gone())
}

/** Sends the request to the number's worker; the result has the kind that belongs to it. */
export async function ask<Kind extends CommandResult['kind']>(
  deps: Deps,
  incoming: Parameters<typeof requestOwn>[1],
  request: Parameters<typeof requestOwn>[2],
  kind: Kind,
): Promise<Extract<CommandResult, { kind: Kind }>> {
  const result = await requestOwn(deps, incoming, request)
  if (result.kind !== kind) throw new GatewayError('internal_error', 'internal server error')
  return result as Extract<CommandResult, { kind: Kind }>
}

/** Only a number that may appear online takes part in typing and presence. */
async function requireVisible(deps: Deps, identity: Identity, id: string, what: string): Promise<void> {
  const session = await deps.sessions.own(identity, 'id', id)
  if (session.appear !== 'offline') return
  throw invalid(`${what} while the number appears offline: set appear to auto or online`, 'appear')
}

export const subscribePresence = route({
  method: 'POST',
  path: '/v1/sessions/:id/presence/subscribe',
  tag: 'Numbers',
  summary: 'Subscribe to the presence of a contact',
  description:
    'The webhook then receives an event when the contact goes online or offline, if the contact shows it. The subscription survives reconnects and restarts. A number with `appear: offline` cannot subscribe.',
  scope: 'send',
  params: BySession,
  body: Strict({ contact_jid: Jid }),
  status: 200,
  response: Strict({ contact_jid: Type.String(), subscribed: Type.Boolean() }),
  errors: [409, 502],
  example: { body: { contact_jid: '15551234567@s.whatsapp.net' } },
  async handler({ body, ...incoming }, deps) {
    const contactJid = parseContact('contact_jid', body.contact_jid)
    await requireVisible(deps, incoming.identity, incoming.params.id, 'the platform sends no presence')
    await requestOwn(deps, incoming, { kind: 'presence_subscribe', contactJid })
    return { contact_jid: contactJid, subscribed: true }
  },
})

export const reactInNewsletter = route({
  method: 'POST',
  path: '/v1/sessions/:id/newsletters/:nl/react',
  tag: 'Numbers',
  summary: 'React to a post of a channel',
  description: 'The `newsletter_message` event of the post has its `server_id`. An empty emoji removes the reaction.',
  scope: 'send',
  params: Strict({ ...BySession.properties, nl: Type.String({ description: 'The JID of the channel.' }) }),
  body: Strict({
    server_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    message_id: MessageId,
    emoji: Type.String({ maxLength: 64 }),
  }),
  status: 200,
  response: Strict({ server_id: Type.Integer(), message_id: Type.String(), emoji: Type.String() }),
  errors: [409, 502],
  example: { body: { server_id: 101, message_id: 'AC0123456789', emoji: '👍' } },
  async handler({ body, ...incoming }, deps) {
    const newsletterJid = incoming.params.nl.includes('@') ? incoming.params.nl : `${incoming.params.nl}@newsletter`
    if (jidKind(newsletterJid) !== 'channel') throw invalid('nl must be the JID of a channel', 'nl')
    const { server_id: serverId, message_id: messageId, emoji } = body
    await requestOwn(deps, incoming, { kind: 'newsletter_react', newsletterJid, serverId, messageId, emoji })
    return body
  },
})

export const showTyping = route({
  method: 'POST',
  path: '/v1/sessions/:id/typing',
  tag: 'Numbers',
  summary: 'Start or stop the typing or recording indicator in a chat',
  description:
    'The platform hides the indicator after some seconds. Repeat the request to keep it. A number with `appear: auto` appears online meanwhile; with `offline` the request is rejected.',
  scope: 'send',
  params: BySession,
  body: Strict({
    chat_jid: Jid,
    typing: Type.Boolean(),
    media: Type.Optional(OneOf(['text', 'audio'] as const, { default: 'text' })),
  }),
  status: 200,
  response: Strict({ chat_jid: Type.String(), typing: Type.Boolean(), media: OneOf(['text', 'audio'] as const) }),
  errors: [409, 502],
  example: { body: { chat_jid: '15551234567', typing: true } },
  async handler({ body, ...incoming }, deps) {
    const chatJid = parseRecipient('chat_jid', body.chat_jid)
    const { typing, media = 'text' } = body
    await requireVisible(deps, incoming.identity, incoming.params.id, 'contacts see no typing')
    await requestOwn(deps, incoming, { kind: 'typing', chatJid, typing, media })
    return { chat_jid: chatJid, typing, media }
  },
})

export const markRead = route({
  method: 'POST',
  path: '/v1/sessions/:id/read',
  tag: 'Numbers',
  summary: 'Mark messages as read',
  description:
    'Each sender of these messages receives a read receipt. You can name up to 100 messages of one chat, by the ids of the platform or of the gateway.',
  scope: 'send',
  params: BySession,
  body: Strict({ chat_jid: Jid, message_ids: Type.Array(MessageId, { minItems: 1, maxItems: 100 }) }),
  status: 200,
  response: Strict({ chat_jid: Type.String(), message_ids: upTo(100, Type.String()) }),
  errors: [409, 502],
  example: { body: { chat_jid: '15551234567', message_ids: ['3EB0A1B2C3D4E5F6'] } },
  async handler({ body, ...incoming }, deps) {
    const chatJid = parseRecipient('chat_jid', body.chat_jid)
    await requestOwn(deps, incoming, async accountId => ({
      kind: 'read',
      chatJid,
      messageIds: await Promise.all(body.message_ids.map(id => resolveMessageId(deps, accountId, 'message_ids', id))),
    }))
    return { chat_jid: chatJid, message_ids: body.message_ids }
  },
})

export const restartSession = route({
  method: 'POST',
  path: '/v1/sessions/:id/restart',
  tag: 'Numbers',
  summary: 'Reconnect a number',
  description:
    'The gateway closes the connection and opens it again. It reports a disconnection only if that takes longer than `POSTERN_DISCONNECT_GRACE`, and it keeps all waiting messages. A number that is logged out must be paired again.',
  scope: 'manage',
  params: BySession,
  status: 202,
  response: SessionSchema,
  async handler({ identity, params }, deps) {
    const session = await freshSession(deps, identity, params.id)
    if (session.state === 'logged_out') throw wrongState('the device is logged out: pair the number again')
    if (session.hosted)
      await queueSessionRequest(deps, { sessionId: session.id, accountId: session.accountId }, { kind: 'restart' })
    return showSession(deps, session)
  },
})

export const deleteSession = route({
  method: 'DELETE',
  path: '/v1/sessions/:id',
  tag: 'Numbers',
  summary: 'Unlink the device and delete its credentials',
  description:
    'The webhook of the number stays but becomes inactive. It becomes active again when you pair the number in the same account.',
  scope: 'manage',
  params: BySession,
  status: 200,
  response: Strict({ id: Type.String(), deleted: Type.Boolean() }),
  async handler({ identity, params }, deps) {
    const session = await freshSession(deps, identity, params.id)
    await unlinkSession(deps, session)
    return { id: session.id, deleted: true }
  },
})

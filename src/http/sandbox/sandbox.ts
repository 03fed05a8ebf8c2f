import type { Static } from 'typebox'
import { Type } from '../type.ts'
import { sendSandboxRequest } from '../../actions/send-request.ts'
import { resolveMessageId } from '../../actions/resolve-message-id.ts'
import { invalid, missing, notFound } from '../../domain/errors.ts'
import { digitsOf, jidKind, parseContact } from '../../domain/jid.ts'
import { MEDIA_TYPES } from '../../domain/message.ts'
import type { SandboxIncoming, SandboxMessage } from '../../domain/sandbox.ts'
import type { StoredSession } from '../../store/sessions/sessions.ts'
import type { Identity } from '../identity.ts'
import { pagesOf } from '../page.ts'
import type { Deps } from '../deps.ts'
import { LARGE_BODY, route } from '../route.ts'
import { listOf, Strict } from '../schemas.ts'
import { BySession } from '../v1/sessions.ts'
import { ActionBody, type ButtonResponse, Held, IncomingBody, MessagesQuery } from './schemas.ts'

export const receiveInSandbox = route({
  method: 'POST',
  path: '/sandbox/sessions/:id/incoming',
  tag: 'Sandbox',
  summary: 'Send a message from a contact to a sandbox number',
  description:
    'The contact can send any type of content, also in groups and channels. The number receives it as from a phone, and the webhook receives the event.',
  scope: 'manage',
  params: BySession,
  body: IncomingBody,
  bodyLimit: LARGE_BODY,
  status: 202,
  response: Strict({ message_id: Type.String() }),
  errors: [404, 502],
  example: { body: { from: '15551234567', from_name: 'Ada', type: 'text', text: 'Is my order on its way?' } },
  async handler({ identity, params, body, gone }, deps) {
    requireContent(body)
    const from = contactDigits('from', body.from)
    const pressed = body.button_response && buttonOf(body.button_response)
    const session = await ownSandbox(deps, identity, params.id)
    const { button_response: _as_given, ...rest } = body
    const incoming = {
      ...rest,
      from,
      ...(pressed && { button_response: pressed }),
      ...(await platformIds(deps, identity, body, [
        'quoted_message_id',
        'reacted_message_id',
        'edited_message_id',
        'revoked_message_id',
      ])),
    }
    return await sendSandboxRequest(deps, { kind: 'incoming', phone: session.phone, incoming }, gone())
  },
})

export const actInSandbox = route({
  method: 'POST',
  path: '/sandbox/sessions/:id/actions',
  tag: 'Sandbox',
  summary: 'Simulate an action around a sandbox number',
  description:
    'Contacts can read, stop reading, play, type, go online, call, vote, order and change their profiles. A channel can post. The connection can drop for some ' +
    'seconds (0 restores it). The phone can log the device out. The platform can leave the next messages without acknowledgement, reject them or ' +
    'acknowledge them late.',
  scope: 'manage',
  params: BySession,
  body: ActionBody,
  bodyLimit: LARGE_BODY,
  status: 202,
  response: Strict({
    call_id: Type.Optional(Type.String()),
    message_id: Type.Optional(Type.String()),
    newsletter_jid: Type.Optional(Type.String()),
    server_id: Type.Optional(Type.Integer()),
    order_id: Type.Optional(Type.String()),
    token: Type.Optional(Type.String({ description: 'Opens the order.' })),
  }),
  errors: [404, 502],
  example: { body: { action: 'typing', from: '15551234567' } },
  async handler({ identity, params, body, gone }, deps) {
    const session = await ownSandbox(deps, identity, params.id)
    const action = {
      ...body,
      ...(body.from === undefined ? {} : { from: contactDigits('from', body.from) }),
      ...(await platformIds(deps, identity, body, ['message_id'])),
    }
    return await sendSandboxRequest(deps, { kind: 'action', phone: session.phone, action }, gone())
  },
})

export const listSandboxMessages = route({
  method: 'GET',
  path: '/sandbox/sessions/:id/messages',
  tag: 'Sandbox',
  summary: 'List the messages on the phones of a sandbox number’s contacts, newest first',
  description:
    'The phones have decrypted these messages, so each has passed every step from the gateway to the recipient. If messages are long, a page may be short and ' +
    'still have a `next_cursor`.',
  scope: 'read',
  params: BySession,
  query: MessagesQuery,
  status: 200,
  work: 'heavy',
  response: listOf(Held),
  errors: [404, 502],
  async handler({ identity, params, query, gone }, deps) {
    const session = await ownSandbox(deps, identity, params.id)
    // Not among the filters: it changes how messages are shown, not which.
    const { include_media: withMedia = false, ...list } = query
    const pages = pagesOf(deps, identity, `sandbox messages ${session.id}`, list)
    const { limit, cursor } = pages.request
    const { data, next } = await sendSandboxRequest<{ data: SandboxMessage[]; next: string | null }>(
      deps,
      {
        kind: 'messages',
        phone: session.phone,
        contact: query.contact === undefined ? null : contactDigits('contact', query.contact),
        sinceMs: session.createdAt,
        limit,
        before: cursor,
        withMedia,
      },
      gone(),
    )
    return { data, next_cursor: pages.next(next) }
  },
})

export async function ownSandbox(deps: Deps, identity: Identity, id: string): Promise<StoredSession> {
  if (!deps.config.sandbox) throw notFound('path')
  const session = await deps.sessions.own(identity, 'id', id)
  if (session.platform !== 'sandbox') throw invalid('id is not a sandbox number', 'id')
  return session
}

export function contactDigits(field: string, value: string): string {
  const jid = parseContact(field, value)
  if (jidKind(jid) !== 'user') throw invalid(`${field} must be a number or the JID of one`, field)
  return digitsOf(jid)
}

const NEEDED: Partial<Record<Static<typeof IncomingBody>['type'], keyof Static<typeof IncomingBody>>> = {
  text: 'text',
  reaction: 'reacted_message_id',
  location: 'location',
  poll: 'poll',
  button_response: 'button_response',
  edit: 'edited_message_id',
  revoke: 'revoked_message_id',
  ...Object.fromEntries(MEDIA_TYPES.map(type => [type, 'media'])),
}

function requireContent(body: Static<typeof IncomingBody>): void {
  const needed = NEEDED[body.type]
  if (needed !== undefined && body[needed] === undefined)
    throw missing(`${needed} is required with type ${body.type}`, needed)
}

/** The name as in the event, or its short form. */
function buttonOf(given: Static<typeof ButtonResponse>): NonNullable<SandboxIncoming['button_response']> {
  const id = given.selected_id ?? given.id
  if (id === undefined) throw missing('button_response.selected_id is required', 'button_response.selected_id')
  const text = given.selected_text ?? given.text ?? id
  return { id, text, ...(given.params_json !== undefined && { paramsJson: given.params_json }) }
}

/** Returns the platform's ids of the messages in these fields: callers may pass those ids or ours. */
async function platformIds<Field extends string>(
  deps: Deps,
  identity: Identity,
  body: { [F in Field]?: string },
  fields: Field[],
): Promise<{ [F in Field]?: string }> {
  const found: { [F in Field]?: string } = {}
  for (const field of fields) {
    const id = body[field]
    if (id !== undefined) found[field] = await resolveMessageId(deps, identity.account.id, field, id)
  }
  return found
}

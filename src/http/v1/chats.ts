import { Type } from '../type.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { type Chat, MUTED_FOREVER_MS, type WantedChat } from '../../domain/chat.ts'
import { resolveMessageId } from '../../actions/resolve-message-id.ts'
import { invalid, notFound } from '../../domain/errors.ts'
import { jidKind, parseContact, parseRecipient } from '../../domain/jid.ts'
import { aboutLabel } from '../../domain/sealed.ts'
import type { Deps } from '../deps.ts'
import { pagesOf } from '../page.ts'
import { route } from '../route.ts'
import { DescribedTime, isoOrNull, Nullable, pageQuery, Strict, upTo, listOf } from '../schemas.ts'
import { ask, type requestOwn } from './session-actions.ts'
import { BySession } from './sessions.ts'

const MAX_LABELS = 50

export const ByChat = Strict({
  ...BySession.properties,
  jid: Type.String({ description: 'The JID of a contact or a group, or a phone number.' }),
})

const MutedUntil = Nullable(
  DescribedTime('Until when the chat is muted: 9999-12-31T00:00:00.000Z if that has no end. Null: it is not muted.'),
)

const ChatSchema = Strict({
  jid: Type.String({ description: 'The JID with the phone number, an @lid JID if that is not known, or a group.' }),
  last_activity: Nullable(DescribedTime('When the newest message was written that the gateway has seen.')),
  unread: Type.Integer({ description: 'Messages that arrived since the chat was read.' }),
  marked_unread: Type.Boolean({ description: 'Whether the chat is marked as unread.' }),
  archived: Type.Boolean(),
  pinned: Type.Boolean(),
  muted_until: MutedUntil,
  labels: upTo(
    BOUNDS.labelsOfChat,
    Strict({ id: Type.String(), name: Nullable(Type.String({ description: 'Null if it is not known.' })) }),
    'The labels of a business account.',
  ),
})

type ChatDeps = Pick<Deps, 'seal'> & { store: Pick<Deps['store'], 'chats'> }

/** Shows chats with the names of their labels. */
async function showChats({ store, seal }: ChatDeps, sessionId: string, chats: readonly Chat[]) {
  const hasLabels = chats.some(({ labels }) => labels.length > 0)
  const sealed = hasLabels ? await store.chats.readLabelNames(sessionId) : []
  const names = new Map(sealed.map(label => [label.id, seal.open(label.sealed, aboutLabel(sessionId, label.id))]))
  return chats.map(chat => ({
    jid: chat.jid,
    last_activity: isoOrNull(chat.lastActivityMs),
    unread: chat.unread,
    marked_unread: chat.isMarkedUnread,
    archived: chat.isArchived,
    pinned: chat.isPinned,
    muted_until: isoOrNull(chat.mutedUntilMs),
    labels: chat.labels.map(id => ({ id, name: names.get(id)?.toString() ?? null })),
  }))
}

export const listChats = route({
  method: 'GET',
  path: '/v1/sessions/:id/chats',
  tag: 'Chats',
  summary: 'List the chats of a number',
  description:
    'The list has no content and needs no connection. The gateway keeps it from the first request on, or while an endpoint includes `chat`: activity and unread messages are counted from then on. `synced_at` is null until the gateway has what the phone shares of its chats. The order is that of the JIDs.',
  scope: 'read',
  params: BySession,
  query: Strict(pageQuery),
  status: 200,
  response: Strict({
    ...listOf(ChatSchema).properties,
    synced_at: Nullable(DescribedTime('When the gateway first had all that the phone shares of its chats.')),
  }),
  async handler({ query, identity, params }, deps) {
    const session = await deps.sessions.own(identity, 'id', params.id)
    const pages = pagesOf(deps, identity, `chats ${session.id}`, query)
    const { syncedAt } = await followed(deps, session.id)
    const { data, nextCursor } = await deps.store.chats.listChats({ sessionId: session.id, ...pages.request })
    return {
      data: await showChats(deps, session.id, data),
      next_cursor: pages.next(nextCursor),
      synced_at: isoOrNull(syncedAt),
    }
  },
})

/** The gateway keeps the list of a number's chats once a program asks for it. */
async function followed({ store }: ChatDeps, sessionId: string) {
  const known = await store.chats.readFollowedChats(sessionId)
  return known.since === null ? await store.chats.followChats(sessionId) : known
}

export const getChat = route({
  method: 'GET',
  path: '/v1/sessions/:id/chats/:jid',
  tag: 'Chats',
  summary: 'Get a chat',
  description: '404 if the gateway knows nothing of the chat.',
  scope: 'read',
  params: ByChat,
  status: 200,
  response: ChatSchema,
  errors: [404],
  async handler({ identity, params }, deps) {
    const session = await deps.sessions.own(identity, 'id', params.id)
    const jid = parseChat(params.jid)
    await followed(deps, session.id)
    const chat = await deps.store.chats.getChat({ sessionId: session.id, jid })
    if (chat === undefined) throw notFound('chat')
    return (await showChats(deps, session.id, [chat]))[0]!
  },
})

export function parseChat(value: string): string {
  const jid = parseRecipient('jid', value)
  const kind = jidKind(jid)
  if (kind === 'user' || kind === 'lid' || kind === 'group') return jid
  throw invalid('jid must be a contact or a group', 'jid')
}

const ChatChange = Strict(
  {
    archived: Type.Optional(Type.Boolean({ description: 'An archived chat is not pinned.' })),
    pinned: Type.Optional(Type.Boolean()),
    muted_until: Type.Optional(MutedUntil),
    read: Type.Optional(
      Type.Boolean({
        description:
          'True marks the chat as read on the phone, without read receipts to the people who wrote. False marks it as unread.',
      }),
    ),
    labels: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '^[\\w-]+$' }), {
        maxItems: MAX_LABELS,
        description: 'The ids of all labels that the chat has from now on.',
      }),
    ),
  },
  { minProperties: 1 },
)

export const updateChat = route({
  method: 'PATCH',
  path: '/v1/sessions/:id/chats/:jid',
  tag: 'Chats',
  summary: 'Archive, pin, mute, mark or label a chat',
  description:
    'The phone of the number and its other devices show the change too. The same request again changes nothing.',
  scope: 'send',
  params: ByChat,
  body: ChatChange,
  status: 200,
  response: ChatSchema,
  errors: [404, 409, 502],
  example: { body: { archived: true } },
  async handler({ body, ...incoming }, deps) {
    const { identity, params } = incoming
    const session = await deps.sessions.own(identity, 'id', params.id)
    const jid = parseChat(params.jid)
    const change = wantedChat(body)
    await followed(deps, session.id)
    const known = await deps.store.chats.getChat({ sessionId: session.id, jid })
    const request = { kind: 'chat_change', jid, change, labels: known?.labels ?? [] } as const
    const shown = await ask(deps, incoming, request, 'chat')
    const changed = await deps.store.chats.getChat({ sessionId: session.id, jid: shown.jid })
    if (changed === undefined) throw notFound('chat')
    return (await showChats(deps, session.id, [changed]))[0]!
  },
})

function wantedChat(body: {
  archived?: boolean
  pinned?: boolean
  muted_until?: string | null
  read?: boolean
  labels?: string[]
}): WantedChat {
  const { archived, pinned, muted_until: mutedUntil, read, labels } = body
  if (archived === true && pinned === true) throw invalid('an archived chat cannot be pinned', 'pinned')
  return {
    ...(archived !== undefined && { isArchived: archived }),
    ...(pinned !== undefined && { isPinned: pinned }),
    ...(mutedUntil !== undefined && { mutedUntilMs: mutedUntil === null ? null : timeOf(mutedUntil) }),
    ...(read !== undefined && { isRead: read }),
    ...(labels !== undefined && { labels: [...new Set(labels)] }),
  }
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)$/

function timeOf(text: string): number {
  const ms = ISO.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) throw invalid('muted_until must be a time such as 2027-01-31T12:00:00Z, or null', 'muted_until')
  return Math.min(ms, MUTED_FOREVER_MS)
}

const ByMessage = Strict({
  ...ByChat.properties,
  message_id: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'The `message_id` of a message that you received, or the `msg_…` of one that you sent.',
  }),
})

const OfAuthor = Strict({
  participant: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The author, in a group, if the gateway has not seen the message.',
    }),
  ),
})

const Starred = Strict({ message_id: Type.String(), starred: Type.Boolean() })

export const starMessage = route({
  method: 'PUT',
  path: '/v1/sessions/:id/chats/:jid/stars/:message_id',
  tag: 'Chats',
  summary: 'Star a message',
  description:
    'The phone of the number and its other devices show the star. The people of the chat do not see it. The same request again changes nothing.',
  scope: 'send',
  params: ByMessage,
  query: OfAuthor,
  status: 200,
  response: Starred,
  errors: [409, 502],
  handler: (incoming, deps) => changeStar(deps, incoming, true),
})

export const unstarMessage = route({
  method: 'DELETE',
  path: '/v1/sessions/:id/chats/:jid/stars/:message_id',
  tag: 'Chats',
  summary: 'Remove the star of a message',
  scope: 'send',
  params: ByMessage,
  query: OfAuthor,
  status: 200,
  response: Starred,
  errors: [409, 502],
  handler: (incoming, deps) => changeStar(deps, incoming, false),
})

type Incoming = Parameters<typeof requestOwn>[1]

async function changeStar(
  deps: Deps,
  incoming: Incoming & { params: { jid: string; message_id: string }; query: { participant?: string } },
  isStarred: boolean,
) {
  const { identity, params, query } = incoming
  const session = await deps.sessions.own(identity, 'id', params.id)
  const jid = parseChat(params.jid)
  const participant = query.participant === undefined ? null : parseContact('participant', query.participant)
  const messageId = await resolveMessageId(deps, identity.account.id, 'message_id', params.message_id)
  await followed(deps, session.id)
  await ask(deps, incoming, { kind: 'message_star', jid, messageId, participant, isStarred }, 'done')
  return { message_id: params.message_id, starred: isStarred }
}

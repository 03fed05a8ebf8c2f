import type { TestAccount, TestSession } from '../harness/gateway.ts'

export const FOREIGN = 'session does not belong to this tenant'

export interface Victim {
  account: TestAccount
  session: TestSession
  webhookId: string
  endpointId: string
  messageId: string
  keyId: string
  deliveryId: string
  replayId: string
  pairingId: string
  /** Words that only this account may read. */
  canaries: string[]
  /** Everything that it has, to be compared afterwards. */
  snapshot(): Promise<unknown>
}

/** The calling account's own objects. */
export interface Own {
  session: TestSession
  webhookId: string
  endpointId: string
}

interface Attempt {
  path?: string
  body?: unknown
  /** The error for other accounts; absent: the route succeeds with only the calling account's own data. */
  status?: 400 | 403 | 404
}

interface Entry {
  /** Requests for another account's objects through this route. */
  attempts(victim: Victim, own: Own): Attempt[]
}

/** Reads or creates only objects of the calling account: no request can name another's. */
const ownOnly = (body?: unknown): Entry => ({ attempts: () => [body === undefined ? {} : { body }] })
/** Whether a file of another account exists is not told. */
const onMedia = (): Entry => ({ attempts: () => [{ path: `/v1/media/med_${'0'.repeat(26)}`, status: 404 }] })
const onWebhook = (tail: string, body?: unknown): Entry => ({
  attempts: ({ webhookId }) => [{ path: `/v1/webhooks/${webhookId}${tail}`, body, status: 403 }],
})
const onEndpoint = (tail: string, body?: unknown): Entry => ({
  attempts: ({ endpointId }) => [{ path: `/v1/endpoints/${endpointId}${tail}`, body, status: 403 }],
})
const onEndpointReplay: Entry = {
  attempts: ({ endpointId, replayId }, own) => [
    { path: `/v1/endpoints/${endpointId}/replay/${replayId}`, status: 403 },
    { path: `/v1/endpoints/${own.endpointId}/replay/${replayId}`, status: 404 },
  ],
}
const onMessage = (body?: unknown, tail = ''): Entry => ({
  attempts: ({ messageId }) => [{ path: `/v1/messages/${messageId}${tail}`, body, status: 403 }],
})
const GROUP = '120363000000000001@g.us'
const CHANNEL = '/newsletters/120363000000000000%40newsletter'
const INVITE = 'AbCdEfGhIjKlMnOpQrStUv'
const onSession = (tail: string, body?: unknown): Entry => ({
  attempts: ({ session }) =>
    [session.id, session.jid].map(id => ({ path: `/v1/sessions/${encodeURIComponent(id)}${tail}`, body, status: 403 })),
})
const onDelivery = (tail: string): Entry => ({
  attempts: ({ deliveryId }) => [{ path: `/v1/deliveries/${deliveryId}${tail}`, status: 403 }],
})
const onReplay: Entry = {
  attempts: ({ webhookId, replayId }, own) => [
    { path: `/v1/webhooks/${webhookId}/replay/${replayId}`, status: 403 },
    { path: `/v1/webhooks/${own.webhookId}/replay/${replayId}`, status: 404 },
  ],
}
const ASSERTION = {
  id: 'aWQ',
  rawId: 'aWQ',
  type: 'public-key',
  response: { clientDataJSON: 'e30', authenticatorData: 'A'.repeat(50), signature: 'c2lnbmF0dXJl' },
}
const onPairing = (tail: string, body?: unknown): Entry => ({
  attempts: ({ pairingId }) => [{ path: `/v1/pairings/${pairingId}${tail}`, body, status: 404 }],
})
const onSandbox = (tail: string, body?: unknown): Entry => ({
  attempts: ({ session }) => [
    { path: `/sandbox/sessions/${encodeURIComponent(session.id)}${tail}`, body, status: 403 },
  ],
})
const operator: Entry = { attempts: () => [] }
const hook = 'http://127.0.0.1:9000/mine'

export const MATRIX: Record<string, Entry> = {
  'GET /v1/me': ownOnly(),
  'GET /v1/tos': ownOnly(),
  'POST /v1/tos/accept': ownOnly({ version: '2026-01' }),
  'GET /v1/usage': ownOnly(),

  'GET /v1/keys': ownOnly(),
  'POST /v1/keys': {
    attempts: ({ session }) => [{ body: { label: 'mine', session_ids: [session.id] }, status: 403 }],
  },
  'DELETE /v1/keys/:id': {
    attempts: ({ keyId, account }) => [keyId, account.keyId].map(id => ({ path: `/v1/keys/${id}`, status: 404 })),
  },

  'GET /v1/requests': ownOnly(),
  'GET /v1/requests/:id': {
    attempts: () => [{ path: '/v1/requests/log_nothing.0000', status: 404 }],
  },

  'POST /v1/people/erase': ownOnly({ jid: '15550001111' }),
  'GET /v1/people/erase/:id': {
    attempts: () => [{ path: '/v1/people/erase/job_nothing', status: 404 }],
  },
  'POST /v1/people/export': ownOnly({ jid: '15550001111' }),

  'POST /v1/messages': {
    attempts: ({ session, messageId }, own) => [
      { body: { session_id: session.id, to: '15550001111', text: 'x' }, status: 403 },
      { body: { session_id: own.session.id, to: '15550001111', text: 'x', quoted_message_id: messageId }, status: 403 },
      {
        body: { session_id: own.session.id, to: '15550001111', text: '👍', reacted_message_id: messageId },
        status: 403,
      },
    ],
  },
  'GET /v1/messages': {
    attempts: ({ session, messageId }) => [
      {},
      { path: `/v1/messages?session_id=${encodeURIComponent(session.id)}`, status: 403 },
      { path: `/v1/messages?cursor=${Buffer.from(`${messageId}z`).toString('base64url')}`, status: 400 },
    ],
  },
  'GET /v1/messages/:id': onMessage(),
  'GET /v1/messages/:id/viewers': onMessage(undefined, '/viewers'),
  'PATCH /v1/messages/:id': onMessage({ text: 'changed' }),
  'DELETE /v1/messages/:id': onMessage(),

  'GET /v1/sessions': ownOnly(),
  'GET /v1/sessions/:id': onSession(''),
  'PATCH /v1/sessions/:id': onSession('', { label: 'changed' }),
  'POST /v1/sessions/:id/calls/auto-reject': onSession('/calls/auto-reject', { enabled: true }),

  'POST /v1/endpoints': {
    attempts: ({ session }) => [{ body: { url: hook, session_ids: [session.id] }, status: 403 }],
  },
  'GET /v1/endpoints': ownOnly(),
  'GET /v1/endpoints/:id': onEndpoint(''),
  'PATCH /v1/endpoints/:id': {
    attempts: ({ endpointId, session }, own) => [
      { path: `/v1/endpoints/${endpointId}`, body: { active: false }, status: 403 },
      { path: `/v1/endpoints/${own.endpointId}`, body: { session_ids: [session.id] }, status: 403 },
    ],
  },
  'DELETE /v1/endpoints/:id': onEndpoint(''),
  'POST /v1/endpoints/:id/rotate-secret': onEndpoint('/rotate-secret', {}),
  'POST /v1/endpoints/:id/test': onEndpoint('/test', {}),
  'POST /v1/endpoints/:id/replay': onEndpoint('/replay', {}),
  'GET /v1/endpoints/:id/replay/:replay_id': onEndpointReplay,
  'DELETE /v1/endpoints/:id/replay/:replay_id': onEndpointReplay,
  'GET /v1/endpoints/:id/events': onEndpoint('/events'),
  'POST /v1/endpoints/:id/ack': onEndpoint('/ack', { cursor: '1' }),
  'GET /v1/endpoints/:id/stream': onEndpoint('/stream'),
  'POST /v1/webhooks': {
    attempts: ({ session }) => [{ body: { session_id: session.id, messages_url: hook }, status: 403 }],
  },
  'GET /v1/webhooks': ownOnly(),
  'GET /v1/webhooks/:id': onWebhook(''),
  'PUT /v1/webhooks/:id': onWebhook('', { messages_url: hook }),
  'DELETE /v1/webhooks/:id': onWebhook(''),
  'POST /v1/webhooks/:id/rotate-secret': onWebhook('/rotate-secret', {}),

  'POST /v1/webhooks/:id/test': onWebhook('/test', {}),
  'POST /v1/webhooks/:id/replay': onWebhook('/replay', {}),
  'GET /v1/webhooks/:id/replay/:replay_id': onReplay,
  'DELETE /v1/webhooks/:id/replay/:replay_id': onReplay,

  'GET /v1/deliveries': {
    attempts: ({ session, webhookId }) => [
      {},
      { path: `/v1/deliveries?webhook_id=${webhookId}` },
      { path: `/v1/deliveries?session_id=${encodeURIComponent(session.id)}`, status: 403 },
    ],
  },
  'GET /v1/deliveries/events': {
    attempts: ({ session }) => [
      { path: `/v1/deliveries/events?session_id=${encodeURIComponent(session.id)}`, status: 403 },
    ],
  },
  'GET /v1/deliveries/:id': onDelivery(''),
  'POST /v1/deliveries/:id/resend': onDelivery('/resend'),
  'POST /v1/deliveries/:id/give-up': onDelivery('/give-up'),

  'POST /v1/listeners': ownOnly({}),
  'GET /v1/listeners/:id/events': { attempts: () => [{ path: '/v1/listeners/lsn_1/events?after=0', status: 404 }] },
  'DELETE /v1/listeners/:id': { attempts: () => [{ path: '/v1/listeners/lsn_1', status: 404 }] },

  'POST /v1/pairings': { attempts: () => [] },
  'GET /v1/pairings/:id': onPairing(''),
  'GET /v1/pairings/:id/events': onPairing('/events'),
  'POST /v1/pairings/:id/passkey': onPairing('/passkey', ASSERTION),
  'POST /v1/pairings/:id/code': onPairing('/code'),
  'POST /v1/pairings/:id/confirm': onPairing('/confirm'),
  'DELETE /v1/pairings/:id': onPairing(''),
  'POST /v1/sessions': { attempts: () => [] },
  'POST /v1/sessions/:id/restart': onSession('/restart'),
  'DELETE /v1/sessions/:id': onSession(''),
  'POST /v1/sessions/:id/presence/subscribe': onSession('/presence/subscribe', { contact_jid: '15550001111' }),
  'POST /v1/sessions/:id/chats/:jid/history': onSession('/chats/15550001111/history', { before_message_id: 'X' }),
  'GET /v1/sessions/:id/history/:job': onSession('/history/job_00000000000000000000000000'),
  'GET /v1/sessions/:id/newsletters': onSession('/newsletters'),
  'POST /v1/sessions/:id/newsletters': onSession('/newsletters', { name: 'x' }),
  'POST /v1/sessions/:id/newsletters/preview': onSession('/newsletters/preview', { invite: INVITE }),
  'GET /v1/sessions/:id/newsletters/:nl': onSession(CHANNEL),
  'PATCH /v1/sessions/:id/newsletters/:nl': onSession(CHANNEL, { name: 'x' }),
  'DELETE /v1/sessions/:id/newsletters/:nl': onSession(CHANNEL),
  'PUT /v1/sessions/:id/newsletters/:nl/picture': onSession(`${CHANNEL}/picture`, {
    media_url: 'https://example.com/a.png',
  }),
  'DELETE /v1/sessions/:id/newsletters/:nl/picture': onSession(`${CHANNEL}/picture`),
  'PUT /v1/sessions/:id/newsletters/:nl/follow': onSession(`${CHANNEL}/follow`),
  'DELETE /v1/sessions/:id/newsletters/:nl/follow': onSession(`${CHANNEL}/follow`),
  'PUT /v1/sessions/:id/newsletters/:nl/mute': onSession(`${CHANNEL}/mute`),
  'DELETE /v1/sessions/:id/newsletters/:nl/mute': onSession(`${CHANNEL}/mute`),
  'GET /v1/sessions/:id/newsletters/:nl/posts': onSession(`${CHANNEL}/posts`),
  'GET /v1/sessions/:id/newsletters/:nl/stats': onSession(`${CHANNEL}/stats`),
  'GET /v1/sessions/:id/newsletters/:nl/followers': onSession(`${CHANNEL}/followers`),
  'GET /v1/sessions/:id/newsletters/:nl/admins': onSession(`${CHANNEL}/admins`),
  'PUT /v1/sessions/:id/newsletters/:nl/admins/:jid': onSession(`${CHANNEL}/admins/15550001111`, {}),
  'DELETE /v1/sessions/:id/newsletters/:nl/admins/:jid/invite': onSession(`${CHANNEL}/admins/15550001111/invite`),
  'POST /v1/sessions/:id/newsletters/:nl/accept': onSession(`${CHANNEL}/accept`),
  'DELETE /v1/sessions/:id/newsletters/:nl/admins/:jid': onSession(`${CHANNEL}/admins/15550001111`),
  'POST /v1/sessions/:id/newsletters/:nl/react': onSession('/newsletters/120363000000000000%40newsletter/react', {
    server_id: 1,
    message_id: 'X',
    emoji: '👍',
  }),
  'POST /v1/sessions/:id/typing': onSession('/typing', { chat_jid: '15550001111', typing: true }),
  'POST /v1/sessions/:id/read': onSession('/read', { chat_jid: '15550001111', message_ids: ['X'] }),
  'GET /v1/sessions/:id/communities': onSession('/communities'),
  'POST /v1/sessions/:id/communities': onSession('/communities', { subject: 'x' }),
  'GET /v1/sessions/:id/communities/:jid/groups': onSession(`/communities/${GROUP}/groups`),
  'PUT /v1/sessions/:id/communities/:jid/groups/:group': onSession(`/communities/${GROUP}/groups/${GROUP}`),
  'DELETE /v1/sessions/:id/communities/:jid/groups/:group': onSession(`/communities/${GROUP}/groups/${GROUP}`),
  'POST /v1/sessions/:id/communities/:jid/leave': onSession(`/communities/${GROUP}/leave`),
  'GET /v1/sessions/:id/groups': onSession('/groups'),
  'POST /v1/sessions/:id/groups': onSession('/groups', { subject: 'x', members: ['15550001111'] }),
  'POST /v1/sessions/:id/groups/join': onSession('/groups/join', { invite: INVITE }),
  'POST /v1/sessions/:id/groups/preview': onSession('/groups/preview', { invite: INVITE }),
  'GET /v1/sessions/:id/groups/:jid': onSession(`/groups/${GROUP}`),
  'PATCH /v1/sessions/:id/groups/:jid': onSession(`/groups/${GROUP}`, { subject: 'x' }),
  'POST /v1/sessions/:id/groups/:jid/leave': onSession(`/groups/${GROUP}/leave`),
  'POST /v1/sessions/:id/groups/:jid/members': onSession(`/groups/${GROUP}/members`, {
    action: 'add',
    members: ['15550001111'],
  }),
  'GET /v1/sessions/:id/groups/:jid/invite': onSession(`/groups/${GROUP}/invite`),
  'DELETE /v1/sessions/:id/groups/:jid/invite': onSession(`/groups/${GROUP}/invite`),
  'GET /v1/sessions/:id/groups/:jid/picture': onSession(`/groups/${GROUP}/picture`),
  'PUT /v1/sessions/:id/groups/:jid/picture': onSession(`/groups/${GROUP}/picture`, {
    media_url: 'https://example.com/a.png',
  }),
  'DELETE /v1/sessions/:id/groups/:jid/picture': onSession(`/groups/${GROUP}/picture`),
  'GET /v1/sessions/:id/groups/:jid/requests': onSession(`/groups/${GROUP}/requests`),
  'POST /v1/sessions/:id/groups/:jid/requests': onSession(`/groups/${GROUP}/requests`, {
    action: 'approve',
    members: ['15550001111'],
  }),
  'POST /v1/sessions/:id/contacts/check': onSession('/contacts/check', { phones: ['15550001111'] }),
  'GET /v1/sessions/:id/contacts/:jid': onSession('/contacts/15550001111'),
  'GET /v1/sessions/:id/contacts/:jid/picture': onSession('/contacts/15550001111/picture'),
  'GET /v1/sessions/:id/chats': onSession('/chats'),
  'GET /v1/sessions/:id/chats/:jid': onSession('/chats/15550001111'),
  'PATCH /v1/sessions/:id/chats/:jid': onSession('/chats/15550001111', { archived: true }),
  'PUT /v1/sessions/:id/chats/:jid/stars/:message_id': onSession('/chats/15550001111/stars/X'),
  'DELETE /v1/sessions/:id/chats/:jid/stars/:message_id': onSession('/chats/15550001111/stars/X'),
  'GET /v1/sessions/:id/blocks': onSession('/blocks'),
  'GET /v1/sessions/:id/proxy': onSession('/proxy'),
  'PUT /v1/sessions/:id/proxy': onSession('/proxy', { url: 'socks5://93.184.216.34:1080' }),
  'DELETE /v1/sessions/:id/proxy': onSession('/proxy'),
  'POST /v1/sessions/:id/proxy/test': onSession('/proxy/test'),
  'GET /v1/sessions/:id/profile': onSession('/profile'),
  'PATCH /v1/sessions/:id/profile': onSession('/profile', { about: 'Hello' }),
  'PUT /v1/sessions/:id/profile/picture': onSession('/profile/picture', { media_url: 'https://93.184.216.34/a.jpg' }),
  'DELETE /v1/sessions/:id/profile/picture': onSession('/profile/picture'),
  'POST /v1/sessions/:id/calls/:call_id/reject': onSession('/calls/ABCD/reject'),
  'POST /v1/sessions/:id/calls/links': onSession('/calls/links', { media: 'audio' }),
  'GET /v1/sessions/:id/catalog': onSession('/catalog'),
  'GET /v1/sessions/:id/catalog/collections': onSession('/catalog/collections'),
  'POST /v1/sessions/:id/orders': onSession('/orders', { order_id: '1', token: 'x' }),
  'GET /v1/sessions/:id/privacy': onSession('/privacy'),
  'PATCH /v1/sessions/:id/privacy': onSession('/privacy', { about: 'none' }),
  'PUT /v1/sessions/:id/blocks/:jid': onSession('/blocks/15550001111'),
  'DELETE /v1/sessions/:id/blocks/:jid': onSession('/blocks/15550001111'),
  'GET /v1/sessions/:id/health': onSession('/health'),
  'POST /v1/sessions/:id/people': onSession('/people', { phones: ['15550001111'] }),
  'GET /v1/sessions/:id/contacts/check': onSession('/contacts/check?phone=15550001111'),
  'POST /sandbox/sessions/:id/incoming': onSandbox('/incoming', { from: '15550001111', type: 'text', text: 'x' }),
  'POST /sandbox/sessions/:id/actions': onSandbox('/actions', { action: 'read' }),
  'GET /sandbox/sessions/:id/messages': onSandbox('/messages'),
  'POST /v1/media': ownOnly({}),
  'GET /v1/media/:id': onMedia(),
  'DELETE /v1/media/:id': onMedia(),
  'POST /sandbox/media': ownOnly({}),
  'GET /sandbox/sessions/:id/conditions': onSandbox('/conditions'),
  'POST /sandbox/sessions/:id/watch': onSandbox('/watch'),
  'GET /sandbox/deliveries/:id': {
    attempts: ({ deliveryId }) => [{ path: `/sandbox/deliveries/${deliveryId}`, status: 403 }],
  },
  'POST /sandbox/pairings/:id/passkey': {
    attempts: ({ pairingId }) => [{ path: `/sandbox/pairings/${pairingId}/passkey`, status: 404 }],
  },
  'POST /sandbox/pairings/:id/scan': {
    attempts: ({ pairingId }) => [{ path: `/sandbox/pairings/${pairingId}/scan`, status: 404 }],
  },

  'POST /operator/accounts': operator,
  'GET /operator/accounts': operator,
  'PATCH /operator/accounts/:id': operator,
  'POST /operator/accounts/:id/keys': operator,
  'POST /operator/sign-in-links': operator,
  'GET /operator/overview': operator,
  'POST /operator/sessions/:id/export': operator,
  'POST /operator/sessions/:id/take-back': operator,
  'POST /operator/sessions/import': operator,
}

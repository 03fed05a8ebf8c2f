/** An expression for the result of an earlier node. */
const of = (name, field) => `={{ $('${name}').first().json.${field} }}`
const CONTACT = '15551234567'

/**
 * Every call of the API with its parameters, in an order in which each finds what it needs.
 * `refused`: the error code that the gateway returns here, because the sandbox cannot do it.
 */
export function everyCall(session, receiverUrl) {
  const session_id = session
  const own = of('postSessions', 'id')
  const webhook_id = of('postWebhooks', 'id')
  const pairing_id = of('postPairings', 'id')
  return [
    ['getMe', {}],
    ['getTos', {}],
    ['postTosAccept', { version: of('getTos', 'version') }],
    ['getUsage', {}],
    ['postSessions', { platform: 'sandbox', additionalFields: { label: 'By n8n' } }],
    ['getSessions', { returnAll: true }],
    ['getSessionsId', { session_id: own }],
    ['patchSessionsId', { session_id: own, additionalFields: { label: 'Renamed by n8n' } }],
    ['postSessionsIdCallsAutoReject', { session_id, enabled: true, additionalFields: { message: 'Please write' } }],
    ['postSessionsIdPresenceSubscribe', { session_id, contact_jid: CONTACT }],
    ['postSessionsIdTyping', { session_id, chat_jid: CONTACT, typing: true }],
    ['getSessionsIdContactsCheck', { session_id, phone: CONTACT }],
    ['getSessionsIdHealth', { session_id }],
    ['postSessionsIdPeople', { session_id, additionalFields: { phones: [CONTACT] } }],
    [
      'postSandboxSessionsIdIncoming',
      { session_id, from: CONTACT, type: 'text', additionalFields: { text: 'Hello', from_name: 'Ada' } },
    ],
    [
      'postSessionsIdRead',
      { session_id, chat_jid: CONTACT, message_ids: [of('postSandboxSessionsIdIncoming', 'message_id')] },
    ],
    ['postMessages', { session_id, to: `+${CONTACT}`, text: 'Sent by n8n' }],
    ['getMessages', { returnAll: false, limit: 3, filters: { session_id } }],
    ['getMessagesId', { message_id: of('postMessages', 'message_id') }],
    ['patchMessagesId', { message_id: of('postMessages', 'message_id'), text: 'Edited by n8n' }],
    ['deleteMessagesId', { message_id: of('postMessages', 'message_id') }],
    [
      'postSandboxSessionsIdActions',
      { session_id, action: 'presence', additionalFields: { from: CONTACT, online: true } },
    ],
    [
      'postSessionsIdNewslettersNlReact',
      { session_id, newsletter_id: '120363000000000000@newsletter', server_id: 1, message_id: 'none', emoji: '👍' },
      { refused: 'platform_refused' },
    ],
    ['getSandboxSessionsIdMessages', { session_id, returnAll: true }],
    ['getSandboxSessionsIdConditions', { session_id }],
    ['postSandboxSessionsIdWatch', { session_id }],
    ['postKeys', { label: 'By n8n', additionalFields: { scopes: ['read'] } }],
    ['getKeys', { returnAll: true }],
    ['deleteKeysId', { key_id: of('postKeys', 'id') }],
    ['getRequests', { returnAll: false, limit: 5, filters: { method: 'POST' } }],
    ['getRequestsId', { request_id: of('getRequests', 'id') }],
    ['postWebhooks', { session_id: own, additionalFields: { messages_url: receiverUrl, status_url: receiverUrl } }],
    ['getWebhooks', { returnAll: true }],
    ['getWebhooksId', { webhook_id }],
    ['putWebhooksId', { webhook_id, additionalFields: { connection_url: receiverUrl } }],
    ['postWebhooksIdRotateSecret', { webhook_id }],
    ['postWebhooksIdTest', { webhook_id, additionalFields: { category: 'messages' } }],
    ['postWebhooksIdReplay', { webhook_id }],
    ['getWebhooksIdReplayReplayId', { webhook_id, replay_id: of('postWebhooksIdReplay', 'id') }],
    ['deleteWebhooksIdReplayReplayId', { webhook_id, replay_id: of('postWebhooksIdReplay', 'id') }],
    ['getDeliveries', { returnAll: true }],
    ['getDeliveriesEvents', { seconds: 1 }],
    ['getDeliveriesId', { delivery_id: 'dlv_none' }, { refused: 'not_found' }],
    ['postDeliveriesIdResend', { delivery_id: 'dlv_none' }, { refused: 'not_found' }],
    ['getSandboxDeliveriesId', { delivery_id: 'dlv_none' }, { refused: 'not_found' }],
    ['deleteWebhooksId', { webhook_id }],
    ['postListeners', {}],
    [
      'getListenersIdEvents',
      { listener_id: of('postListeners', 'id'), after: of('postListeners', 'cursor'), filters: { wait: 0 } },
    ],
    ['deleteListenersId', { listener_id: of('postListeners', 'id') }],
    ['postPairings', { method: 'qr', additionalFields: { platform: 'sandbox' } }],
    ['getPairingsId', { pairing_id }],
    ['getPairingsIdEvents', { pairing_id, seconds: 1 }],
    ['postPairingsIdCode', { pairing_id }, { refused: 'parameter_invalid' }],
    ['postPairingsIdConfirm', { pairing_id }, { refused: 'wrong_state' }],
    ['postPairingsIdPasskey', { pairing_id, ...PASSKEY }, { refused: 'wrong_state' }],
    ['postSandboxPairingsIdPasskey', { pairing_id }, { refused: 'wrong_state' }],
    ['postSandboxPairingsIdScan', { pairing_id }],
    ['deletePairingsId', { pairing_id }],
    [
      'postOperatorAccounts',
      { name: 'By n8n', additionalFields: { plan: 'pro', limits: '{"messages_per_month": 10}' } },
    ],
    ['getOperatorAccounts', { returnAll: true }],
    [
      'patchOperatorAccountsId',
      { account_id: of('postOperatorAccounts', 'account.id'), additionalFields: { name: 'Renamed' } },
    ],
    ['postOperatorAccountsIdKeys', { account_id: of('postOperatorAccounts', 'account.id'), label: 'Another' }],
    ['postOperatorSignInLinks', {}],
    ['getOperatorOverview', {}],
    ['postSessionsIdRestart', { session_id: own }],
    ['deleteSessionsId', { session_id: own }],
  ]
}

const PASSKEY = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  response:
    '{"clientDataJSON":"AAAAAAAAAAAA","authenticatorData":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","signature":"AAAAAAAAAAAA"}',
}

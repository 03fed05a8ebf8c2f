// Made from openapi.json by `npm run describe`.
import type { Call } from '../call.ts'

export const CALLS: Record<string, Call> = {
  getMe: {
    method: 'GET',
    path: '/v1/me',
    token: 'key',
    answer: 'one',
    inSight: [],
    added: []
  },
  getTos: {
    method: 'GET',
    path: '/v1/tos',
    token: 'key',
    answer: 'one',
    inSight: [],
    added: []
  },
  postTosAccept: {
    method: 'POST',
    path: '/v1/tos/accept',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'version',
        in: 'body'
      }
    ],
    added: []
  },
  getUsage: {
    method: 'GET',
    path: '/v1/usage',
    token: 'key',
    answer: 'list',
    inSight: [],
    added: [
      {
        name: 'from',
        in: 'query'
      },
      {
        name: 'to',
        in: 'query'
      }
    ]
  },
  getKeys: {
    method: 'GET',
    path: '/v1/keys',
    token: 'key',
    answer: 'pages',
    inSight: [],
    added: []
  },
  postKeys: {
    method: 'POST',
    path: '/v1/keys',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'label',
        in: 'body'
      }
    ],
    added: [
      {
        name: 'scopes',
        in: 'body'
      },
      {
        name: 'session_ids',
        in: 'body'
      }
    ]
  },
  deleteKeysId: {
    method: 'DELETE',
    path: '/v1/keys/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'key_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  getRequests: {
    method: 'GET',
    path: '/v1/requests',
    token: 'key',
    answer: 'pages',
    inSight: [],
    added: [
      {
        name: 'key_id',
        in: 'query'
      },
      {
        name: 'status',
        in: 'query'
      },
      {
        name: 'method',
        in: 'query'
      },
      {
        name: 'path',
        in: 'query'
      },
      {
        name: 'reads',
        in: 'query'
      },
      {
        name: 'request_id',
        in: 'query'
      },
      {
        name: 'search',
        in: 'query'
      },
      {
        name: 'since',
        in: 'query'
      },
      {
        name: 'until',
        in: 'query'
      }
    ]
  },
  getRequestsId: {
    method: 'GET',
    path: '/v1/requests/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'request_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postMessages: {
    method: 'POST',
    path: '/v1/messages',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        in: 'body'
      },
      {
        name: 'to',
        in: 'body'
      },
      {
        name: 'text',
        in: 'body',
        emptyWith: 'reacted_message_id'
      }
    ],
    added: [
      {
        name: 'mentions',
        in: 'body'
      },
      {
        name: 'link_preview',
        in: 'body'
      },
      {
        name: 'media_type',
        in: 'body'
      },
      {
        name: 'media_url',
        in: 'body'
      },
      {
        name: 'media_id',
        in: 'body'
      },
      {
        name: 'filename',
        in: 'body'
      },
      {
        name: 'view_once',
        in: 'body'
      },
      {
        name: 'reacted_message_id',
        in: 'body'
      },
      {
        name: 'reacted_participant',
        in: 'body'
      },
      {
        name: 'location',
        in: 'body',
        isJson: true
      },
      {
        name: 'contacts',
        in: 'body',
        isJson: true
      },
      {
        name: 'poll',
        in: 'body',
        isJson: true
      },
      {
        name: 'buttons',
        in: 'body',
        isJson: true
      },
      {
        name: 'carousel',
        in: 'body',
        isJson: true
      },
      {
        name: 'list',
        in: 'body',
        isJson: true
      },
      {
        name: 'footer',
        in: 'body'
      },
      {
        name: 'event',
        in: 'body',
        isJson: true
      },
      {
        name: 'event_change',
        in: 'body',
        isJson: true
      },
      {
        name: 'event_answer',
        in: 'body',
        isJson: true
      },
      {
        name: 'album',
        in: 'body',
        isJson: true
      },
      {
        name: 'album_message_id',
        in: 'body'
      },
      {
        name: 'forward_message_id',
        in: 'body'
      },
      {
        name: 'forwarded',
        in: 'body'
      },
      {
        name: 'pin',
        in: 'body',
        isJson: true
      },
      {
        name: 'keep',
        in: 'body',
        isJson: true
      },
      {
        name: 'quoted_message_id',
        in: 'body'
      },
      {
        name: 'quoted_participant',
        in: 'body'
      },
      {
        name: 'quoted_text',
        in: 'body'
      },
      {
        name: 'typing_ms',
        in: 'body'
      },
      {
        name: 'audience',
        in: 'body'
      },
      {
        name: 'priority',
        in: 'body'
      },
      {
        name: 'send_at',
        in: 'body'
      }
    ],
    hasIdempotencyKey: true
  },
  getMessages: {
    method: 'GET',
    path: '/v1/messages',
    token: 'key',
    answer: 'pages',
    inSight: [],
    added: [
      {
        name: 'session_id',
        in: 'query'
      },
      {
        name: 'state',
        in: 'query'
      }
    ]
  },
  getMessagesId: {
    method: 'GET',
    path: '/v1/messages/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'message_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  patchMessagesId: {
    method: 'PATCH',
    path: '/v1/messages/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'message_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'text',
        in: 'body'
      }
    ],
    added: []
  },
  deleteMessagesId: {
    method: 'DELETE',
    path: '/v1/messages/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'message_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  getMessagesIdViewers: {
    method: 'GET',
    path: '/v1/messages/{id}/viewers',
    token: 'key',
    answer: 'pages',
    inSight: [
      {
        name: 'message_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  deleteMediaId: {
    method: 'DELETE',
    path: '/v1/media/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'media_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  getSessions: {
    method: 'GET',
    path: '/v1/sessions',
    token: 'key',
    answer: 'pages',
    inSight: [],
    added: []
  },
  postSessions: {
    method: 'POST',
    path: '/v1/sessions',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'platform',
        in: 'body'
      }
    ],
    added: [
      {
        name: 'phone',
        in: 'body'
      },
      {
        name: 'label',
        in: 'body'
      }
    ]
  },
  getSessionsId: {
    method: 'GET',
    path: '/v1/sessions/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  patchSessionsId: {
    method: 'PATCH',
    path: '/v1/sessions/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'label',
        in: 'body'
      },
      {
        name: 'pace_ms',
        in: 'body'
      },
      {
        name: 'pace',
        in: 'body',
        isJson: true
      },
      {
        name: 'addressing',
        in: 'body'
      },
      {
        name: 'appear',
        in: 'body'
      },
      {
        name: 'paused',
        in: 'body'
      }
    ]
  },
  deleteSessionsId: {
    method: 'DELETE',
    path: '/v1/sessions/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postSessionsIdCallsAutoReject: {
    method: 'POST',
    path: '/v1/sessions/{id}/calls/auto-reject',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'enabled',
        in: 'body'
      }
    ],
    added: [
      {
        name: 'message',
        in: 'body'
      }
    ]
  },
  postSessionsIdRestart: {
    method: 'POST',
    path: '/v1/sessions/{id}/restart',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postSessionsIdPresenceSubscribe: {
    method: 'POST',
    path: '/v1/sessions/{id}/presence/subscribe',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'contact_jid',
        in: 'body'
      }
    ],
    added: []
  },
  postSessionsIdNewslettersNlReact: {
    method: 'POST',
    path: '/v1/sessions/{id}/newsletters/{nl}/react',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      },
      {
        name: 'server_id',
        in: 'body'
      },
      {
        name: 'message_id',
        in: 'body'
      },
      {
        name: 'emoji',
        in: 'body'
      }
    ],
    added: []
  },
  postSessionsIdTyping: {
    method: 'POST',
    path: '/v1/sessions/{id}/typing',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'chat_jid',
        in: 'body'
      },
      {
        name: 'typing',
        in: 'body'
      }
    ],
    added: [
      {
        name: 'media',
        in: 'body'
      }
    ]
  },
  postSessionsIdRead: {
    method: 'POST',
    path: '/v1/sessions/{id}/read',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'chat_jid',
        in: 'body'
      },
      {
        name: 'message_ids',
        in: 'body'
      }
    ],
    added: []
  },
  getSessionsIdContactsCheck: {
    method: 'GET',
    path: '/v1/sessions/{id}/contacts/check',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'phone',
        in: 'query'
      }
    ],
    added: []
  },
  postSessionsIdContactsCheck: {
    method: 'POST',
    path: '/v1/sessions/{id}/contacts/check',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'phones',
        in: 'body'
      }
    ],
    added: []
  },
  getSessionsIdContactsJid: {
    method: 'GET',
    path: '/v1/sessions/{id}/contacts/{jid}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'contact_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: []
  },
  getSessionsIdContactsJidPicture: {
    method: 'GET',
    path: '/v1/sessions/{id}/contacts/{jid}/picture',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'contact_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'size',
        in: 'query'
      }
    ]
  },
  getSessionsIdBlocks: {
    method: 'GET',
    path: '/v1/sessions/{id}/blocks',
    token: 'key',
    answer: 'pages',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  putSessionsIdBlocksJid: {
    method: 'PUT',
    path: '/v1/sessions/{id}/blocks/{jid}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'contact_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: []
  },
  deleteSessionsIdBlocksJid: {
    method: 'DELETE',
    path: '/v1/sessions/{id}/blocks/{jid}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'contact_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: []
  },
  getSessionsIdChats: {
    method: 'GET',
    path: '/v1/sessions/{id}/chats',
    token: 'key',
    answer: 'pages',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  getSessionsIdChatsJid: {
    method: 'GET',
    path: '/v1/sessions/{id}/chats/{jid}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'chat_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: []
  },
  patchSessionsIdChatsJid: {
    method: 'PATCH',
    path: '/v1/sessions/{id}/chats/{jid}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'chat_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'archived',
        in: 'body'
      },
      {
        name: 'pinned',
        in: 'body'
      },
      {
        name: 'muted_until',
        in: 'body'
      },
      {
        name: 'read',
        in: 'body'
      },
      {
        name: 'labels',
        in: 'body'
      }
    ]
  },
  putSessionsIdChatsJidStarsMessageId: {
    method: 'PUT',
    path: '/v1/sessions/{id}/chats/{jid}/stars/{message_id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'chat_jid',
        at: 'jid',
        in: 'path'
      },
      {
        name: 'message_id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'participant',
        in: 'query'
      }
    ]
  },
  deleteSessionsIdChatsJidStarsMessageId: {
    method: 'DELETE',
    path: '/v1/sessions/{id}/chats/{jid}/stars/{message_id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'chat_jid',
        at: 'jid',
        in: 'path'
      },
      {
        name: 'message_id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'participant',
        in: 'query'
      }
    ]
  },
  postSessionsIdChatsJidHistory: {
    method: 'POST',
    path: '/v1/sessions/{id}/chats/{jid}/history',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'chat_jid',
        at: 'jid',
        in: 'path'
      },
      {
        name: 'before_message_id',
        in: 'body'
      }
    ],
    added: [
      {
        name: 'before_timestamp_unix',
        in: 'body'
      },
      {
        name: 'count',
        in: 'body'
      }
    ]
  },
  getSessionsIdHistoryJob: {
    method: 'GET',
    path: '/v1/sessions/{id}/history/{job}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'job',
        in: 'path'
      }
    ],
    added: []
  },
  getSessionsIdPrivacy: {
    method: 'GET',
    path: '/v1/sessions/{id}/privacy',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  patchSessionsIdPrivacy: {
    method: 'PATCH',
    path: '/v1/sessions/{id}/privacy',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'last_seen',
        in: 'body'
      },
      {
        name: 'online',
        in: 'body'
      },
      {
        name: 'picture',
        in: 'body'
      },
      {
        name: 'about',
        in: 'body'
      },
      {
        name: 'read_receipts',
        in: 'body'
      },
      {
        name: 'group_add',
        in: 'body'
      },
      {
        name: 'call_add',
        in: 'body'
      },
      {
        name: 'messages',
        in: 'body'
      }
    ]
  },
  getSessionsIdProfile: {
    method: 'GET',
    path: '/v1/sessions/{id}/profile',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  patchSessionsIdProfile: {
    method: 'PATCH',
    path: '/v1/sessions/{id}/profile',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'name',
        in: 'body'
      },
      {
        name: 'about',
        in: 'body'
      }
    ]
  },
  putSessionsIdProfilePicture: {
    method: 'PUT',
    path: '/v1/sessions/{id}/profile/picture',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'media_id',
        in: 'body'
      },
      {
        name: 'media_url',
        in: 'body'
      }
    ]
  },
  deleteSessionsIdProfilePicture: {
    method: 'DELETE',
    path: '/v1/sessions/{id}/profile/picture',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postSessionsIdCallsCallIdReject: {
    method: 'POST',
    path: '/v1/sessions/{id}/calls/{call_id}/reject',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'call_id',
        in: 'path'
      }
    ],
    added: []
  },
  postSessionsIdCallsLinks: {
    method: 'POST',
    path: '/v1/sessions/{id}/calls/links',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'media',
        in: 'body'
      }
    ],
    added: []
  },
  getSessionsIdCatalog: {
    method: 'GET',
    path: '/v1/sessions/{id}/catalog',
    token: 'key',
    answer: 'pages',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'jid',
        in: 'query'
      }
    ]
  },
  getSessionsIdCatalogCollections: {
    method: 'GET',
    path: '/v1/sessions/{id}/catalog/collections',
    token: 'key',
    answer: 'list',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'jid',
        in: 'query'
      }
    ]
  },
  postSessionsIdOrders: {
    method: 'POST',
    path: '/v1/sessions/{id}/orders',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'order_id',
        in: 'body'
      },
      {
        name: 'token',
        in: 'body'
      }
    ],
    added: []
  },
  getSessionsIdProxy: {
    method: 'GET',
    path: '/v1/sessions/{id}/proxy',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  putSessionsIdProxy: {
    method: 'PUT',
    path: '/v1/sessions/{id}/proxy',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'url',
        in: 'body'
      }
    ],
    added: []
  },
  deleteSessionsIdProxy: {
    method: 'DELETE',
    path: '/v1/sessions/{id}/proxy',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postSessionsIdProxyTest: {
    method: 'POST',
    path: '/v1/sessions/{id}/proxy/test',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postSessionsIdPeople: {
    method: 'POST',
    path: '/v1/sessions/{id}/people',
    token: 'key',
    answer: 'list',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'jids',
        in: 'body'
      },
      {
        name: 'phones',
        in: 'body'
      }
    ]
  },
  postPeopleErase: {
    method: 'POST',
    path: '/v1/people/erase',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'jid',
        in: 'body'
      }
    ],
    added: []
  },
  getPeopleEraseId: {
    method: 'GET',
    path: '/v1/people/erase/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'erasure_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  getSessionsIdHealth: {
    method: 'GET',
    path: '/v1/sessions/{id}/health',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  getSessionsIdGroups: {
    method: 'GET',
    path: '/v1/sessions/{id}/groups',
    token: 'key',
    answer: 'pages',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postSessionsIdGroups: {
    method: 'POST',
    path: '/v1/sessions/{id}/groups',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'subject',
        in: 'body'
      },
      {
        name: 'members',
        in: 'body'
      }
    ],
    added: [
      {
        name: 'community_jid',
        in: 'body'
      }
    ],
    hasIdempotencyKey: true
  },
  postSessionsIdGroupsJoin: {
    method: 'POST',
    path: '/v1/sessions/{id}/groups/join',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'invite',
        in: 'body'
      }
    ],
    added: []
  },
  postSessionsIdGroupsPreview: {
    method: 'POST',
    path: '/v1/sessions/{id}/groups/preview',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'invite',
        in: 'body'
      }
    ],
    added: []
  },
  getSessionsIdGroupsJid: {
    method: 'GET',
    path: '/v1/sessions/{id}/groups/{jid}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'group_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: []
  },
  patchSessionsIdGroupsJid: {
    method: 'PATCH',
    path: '/v1/sessions/{id}/groups/{jid}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'group_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'subject',
        in: 'body'
      },
      {
        name: 'description',
        in: 'body'
      },
      {
        name: 'settings',
        in: 'body',
        isJson: true
      }
    ]
  },
  postSessionsIdGroupsJidLeave: {
    method: 'POST',
    path: '/v1/sessions/{id}/groups/{jid}/leave',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'group_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: []
  },
  postSessionsIdGroupsJidMembers: {
    method: 'POST',
    path: '/v1/sessions/{id}/groups/{jid}/members',
    token: 'key',
    answer: 'list',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'group_jid',
        at: 'jid',
        in: 'path'
      },
      {
        name: 'action',
        in: 'body'
      },
      {
        name: 'members',
        in: 'body'
      }
    ],
    added: []
  },
  getSessionsIdGroupsJidInvite: {
    method: 'GET',
    path: '/v1/sessions/{id}/groups/{jid}/invite',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'group_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: []
  },
  deleteSessionsIdGroupsJidInvite: {
    method: 'DELETE',
    path: '/v1/sessions/{id}/groups/{jid}/invite',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'group_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: []
  },
  getSessionsIdGroupsJidPicture: {
    method: 'GET',
    path: '/v1/sessions/{id}/groups/{jid}/picture',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'group_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'size',
        in: 'query'
      }
    ]
  },
  putSessionsIdGroupsJidPicture: {
    method: 'PUT',
    path: '/v1/sessions/{id}/groups/{jid}/picture',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'group_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'media_id',
        in: 'body'
      },
      {
        name: 'media_url',
        in: 'body'
      }
    ]
  },
  deleteSessionsIdGroupsJidPicture: {
    method: 'DELETE',
    path: '/v1/sessions/{id}/groups/{jid}/picture',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'group_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: []
  },
  getSessionsIdGroupsJidRequests: {
    method: 'GET',
    path: '/v1/sessions/{id}/groups/{jid}/requests',
    token: 'key',
    answer: 'pages',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'group_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: []
  },
  postSessionsIdGroupsJidRequests: {
    method: 'POST',
    path: '/v1/sessions/{id}/groups/{jid}/requests',
    token: 'key',
    answer: 'list',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'group_jid',
        at: 'jid',
        in: 'path'
      },
      {
        name: 'action',
        in: 'body'
      },
      {
        name: 'members',
        in: 'body'
      }
    ],
    added: []
  },
  getSessionsIdCommunities: {
    method: 'GET',
    path: '/v1/sessions/{id}/communities',
    token: 'key',
    answer: 'pages',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postSessionsIdCommunities: {
    method: 'POST',
    path: '/v1/sessions/{id}/communities',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'subject',
        in: 'body'
      }
    ],
    added: [
      {
        name: 'description',
        in: 'body'
      }
    ],
    hasIdempotencyKey: true
  },
  getSessionsIdCommunitiesJidGroups: {
    method: 'GET',
    path: '/v1/sessions/{id}/communities/{jid}/groups',
    token: 'key',
    answer: 'pages',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'group_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: []
  },
  putSessionsIdCommunitiesJidGroupsGroup: {
    method: 'PUT',
    path: '/v1/sessions/{id}/communities/{jid}/groups/{group}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'group_jid',
        at: 'jid',
        in: 'path'
      },
      {
        name: 'group',
        in: 'path'
      }
    ],
    added: []
  },
  deleteSessionsIdCommunitiesJidGroupsGroup: {
    method: 'DELETE',
    path: '/v1/sessions/{id}/communities/{jid}/groups/{group}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'group_jid',
        at: 'jid',
        in: 'path'
      },
      {
        name: 'group',
        in: 'path'
      }
    ],
    added: []
  },
  postSessionsIdCommunitiesJidLeave: {
    method: 'POST',
    path: '/v1/sessions/{id}/communities/{jid}/leave',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'group_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: []
  },
  getSessionsIdNewsletters: {
    method: 'GET',
    path: '/v1/sessions/{id}/newsletters',
    token: 'key',
    answer: 'pages',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postSessionsIdNewsletters: {
    method: 'POST',
    path: '/v1/sessions/{id}/newsletters',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'name',
        in: 'body'
      }
    ],
    added: [
      {
        name: 'description',
        in: 'body'
      }
    ],
    hasIdempotencyKey: true
  },
  postSessionsIdNewslettersPreview: {
    method: 'POST',
    path: '/v1/sessions/{id}/newsletters/preview',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'invite',
        in: 'body'
      }
    ],
    added: []
  },
  getSessionsIdNewslettersNl: {
    method: 'GET',
    path: '/v1/sessions/{id}/newsletters/{nl}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      }
    ],
    added: []
  },
  patchSessionsIdNewslettersNl: {
    method: 'PATCH',
    path: '/v1/sessions/{id}/newsletters/{nl}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'name',
        in: 'body'
      },
      {
        name: 'description',
        in: 'body'
      },
      {
        name: 'reactions',
        in: 'body'
      }
    ]
  },
  deleteSessionsIdNewslettersNl: {
    method: 'DELETE',
    path: '/v1/sessions/{id}/newsletters/{nl}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      }
    ],
    added: []
  },
  putSessionsIdNewslettersNlPicture: {
    method: 'PUT',
    path: '/v1/sessions/{id}/newsletters/{nl}/picture',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'media_id',
        in: 'body'
      },
      {
        name: 'media_url',
        in: 'body'
      }
    ]
  },
  deleteSessionsIdNewslettersNlPicture: {
    method: 'DELETE',
    path: '/v1/sessions/{id}/newsletters/{nl}/picture',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      }
    ],
    added: []
  },
  putSessionsIdNewslettersNlFollow: {
    method: 'PUT',
    path: '/v1/sessions/{id}/newsletters/{nl}/follow',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      }
    ],
    added: []
  },
  deleteSessionsIdNewslettersNlFollow: {
    method: 'DELETE',
    path: '/v1/sessions/{id}/newsletters/{nl}/follow',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      }
    ],
    added: []
  },
  putSessionsIdNewslettersNlMute: {
    method: 'PUT',
    path: '/v1/sessions/{id}/newsletters/{nl}/mute',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      }
    ],
    added: []
  },
  deleteSessionsIdNewslettersNlMute: {
    method: 'DELETE',
    path: '/v1/sessions/{id}/newsletters/{nl}/mute',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      }
    ],
    added: []
  },
  getSessionsIdNewslettersNlPosts: {
    method: 'GET',
    path: '/v1/sessions/{id}/newsletters/{nl}/posts',
    token: 'key',
    answer: 'pages',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      }
    ],
    added: []
  },
  getSessionsIdNewslettersNlStats: {
    method: 'GET',
    path: '/v1/sessions/{id}/newsletters/{nl}/stats',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      }
    ],
    added: []
  },
  getSessionsIdNewslettersNlFollowers: {
    method: 'GET',
    path: '/v1/sessions/{id}/newsletters/{nl}/followers',
    token: 'key',
    answer: 'list',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'limit',
        in: 'query'
      }
    ]
  },
  getSessionsIdNewslettersNlAdmins: {
    method: 'GET',
    path: '/v1/sessions/{id}/newsletters/{nl}/admins',
    token: 'key',
    answer: 'list',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      }
    ],
    added: []
  },
  putSessionsIdNewslettersNlAdminsJid: {
    method: 'PUT',
    path: '/v1/sessions/{id}/newsletters/{nl}/admins/{jid}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      },
      {
        name: 'contact_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'caption',
        in: 'body'
      }
    ]
  },
  deleteSessionsIdNewslettersNlAdminsJid: {
    method: 'DELETE',
    path: '/v1/sessions/{id}/newsletters/{nl}/admins/{jid}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      },
      {
        name: 'contact_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: []
  },
  deleteSessionsIdNewslettersNlAdminsJidInvite: {
    method: 'DELETE',
    path: '/v1/sessions/{id}/newsletters/{nl}/admins/{jid}/invite',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      },
      {
        name: 'contact_jid',
        at: 'jid',
        in: 'path'
      }
    ],
    added: []
  },
  postSessionsIdNewslettersNlAccept: {
    method: 'POST',
    path: '/v1/sessions/{id}/newsletters/{nl}/accept',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'newsletter_id',
        at: 'nl',
        in: 'path'
      }
    ],
    added: []
  },
  postPairings: {
    method: 'POST',
    path: '/v1/pairings',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'method',
        in: 'body'
      }
    ],
    added: [
      {
        name: 'phone',
        in: 'body'
      },
      {
        name: 'label',
        in: 'body'
      },
      {
        name: 'platform',
        in: 'body'
      },
      {
        name: 'history',
        in: 'body'
      },
      {
        name: 'proxy',
        in: 'body',
        isJson: true
      }
    ]
  },
  getPairingsId: {
    method: 'GET',
    path: '/v1/pairings/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'pairing_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  deletePairingsId: {
    method: 'DELETE',
    path: '/v1/pairings/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'pairing_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  getPairingsIdEvents: {
    method: 'GET',
    path: '/v1/pairings/{id}/events',
    token: 'key',
    answer: 'stream',
    inSight: [
      {
        name: 'pairing_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postPairingsIdCode: {
    method: 'POST',
    path: '/v1/pairings/{id}/code',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'pairing_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postPairingsIdPasskey: {
    method: 'POST',
    path: '/v1/pairings/{id}/passkey',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'pairing_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'id',
        in: 'body'
      },
      {
        name: 'rawId',
        in: 'body'
      },
      {
        name: 'type',
        in: 'body'
      },
      {
        name: 'response',
        in: 'body',
        isJson: true
      }
    ],
    added: [
      {
        name: 'authenticatorAttachment',
        in: 'body'
      },
      {
        name: 'clientExtensionResults',
        in: 'body',
        isJson: true
      },
      {
        name: 'compare_codes',
        in: 'body'
      }
    ]
  },
  postPairingsIdConfirm: {
    method: 'POST',
    path: '/v1/pairings/{id}/confirm',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'pairing_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postWebhooks: {
    method: 'POST',
    path: '/v1/webhooks',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        in: 'body'
      }
    ],
    added: [
      {
        name: 'messages_url',
        in: 'body'
      },
      {
        name: 'status_url',
        in: 'body'
      },
      {
        name: 'connection_url',
        in: 'body'
      },
      {
        name: 'events_url',
        in: 'body'
      }
    ]
  },
  getWebhooks: {
    method: 'GET',
    path: '/v1/webhooks',
    token: 'key',
    answer: 'pages',
    inSight: [],
    added: []
  },
  getWebhooksId: {
    method: 'GET',
    path: '/v1/webhooks/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'webhook_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  putWebhooksId: {
    method: 'PUT',
    path: '/v1/webhooks/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'webhook_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'messages_url',
        in: 'body'
      },
      {
        name: 'status_url',
        in: 'body'
      },
      {
        name: 'connection_url',
        in: 'body'
      },
      {
        name: 'events_url',
        in: 'body'
      }
    ]
  },
  deleteWebhooksId: {
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'webhook_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postWebhooksIdRotateSecret: {
    method: 'POST',
    path: '/v1/webhooks/{id}/rotate-secret',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'webhook_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'overlap_seconds',
        in: 'body'
      }
    ]
  },
  postWebhooksIdTest: {
    method: 'POST',
    path: '/v1/webhooks/{id}/test',
    token: 'key',
    answer: 'list',
    inSight: [
      {
        name: 'webhook_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'category',
        in: 'body'
      },
      {
        name: 'sign',
        in: 'body'
      }
    ]
  },
  postWebhooksIdReplay: {
    method: 'POST',
    path: '/v1/webhooks/{id}/replay',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'webhook_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'since',
        in: 'body'
      },
      {
        name: 'until',
        in: 'body'
      },
      {
        name: 'status',
        in: 'body'
      }
    ]
  },
  getWebhooksIdReplayReplayId: {
    method: 'GET',
    path: '/v1/webhooks/{id}/replay/{replay_id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'webhook_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'replay_id',
        in: 'path'
      }
    ],
    added: []
  },
  deleteWebhooksIdReplayReplayId: {
    method: 'DELETE',
    path: '/v1/webhooks/{id}/replay/{replay_id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'webhook_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'replay_id',
        in: 'path'
      }
    ],
    added: []
  },
  postEndpoints: {
    method: 'POST',
    path: '/v1/endpoints',
    token: 'key',
    answer: 'one',
    inSight: [],
    added: [
      {
        name: 'type',
        in: 'body'
      },
      {
        name: 'url',
        in: 'body'
      },
      {
        name: 'keep_hours',
        in: 'body'
      },
      {
        name: 'description',
        in: 'body'
      },
      {
        name: 'kinds',
        in: 'body'
      },
      {
        name: 'session_ids',
        in: 'body'
      },
      {
        name: 'direction',
        in: 'body'
      },
      {
        name: 'include',
        in: 'body'
      },
      {
        name: 'media',
        in: 'body'
      },
      {
        name: 'headers',
        in: 'body',
        isJson: true
      },
      {
        name: 'signature',
        in: 'body'
      },
      {
        name: 'retry',
        in: 'body'
      },
      {
        name: 'reply',
        in: 'body'
      },
      {
        name: 'active',
        in: 'body'
      }
    ],
    hasIdempotencyKey: true
  },
  getEndpoints: {
    method: 'GET',
    path: '/v1/endpoints',
    token: 'key',
    answer: 'pages',
    inSight: [],
    added: []
  },
  getEndpointsId: {
    method: 'GET',
    path: '/v1/endpoints/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'endpoint_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  patchEndpointsId: {
    method: 'PATCH',
    path: '/v1/endpoints/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'endpoint_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'url',
        in: 'body'
      },
      {
        name: 'keep_hours',
        in: 'body'
      },
      {
        name: 'description',
        in: 'body'
      },
      {
        name: 'kinds',
        in: 'body'
      },
      {
        name: 'session_ids',
        in: 'body'
      },
      {
        name: 'direction',
        in: 'body'
      },
      {
        name: 'include',
        in: 'body'
      },
      {
        name: 'media',
        in: 'body'
      },
      {
        name: 'headers',
        in: 'body',
        isJson: true
      },
      {
        name: 'signature',
        in: 'body'
      },
      {
        name: 'retry',
        in: 'body'
      },
      {
        name: 'reply',
        in: 'body'
      },
      {
        name: 'active',
        in: 'body'
      }
    ]
  },
  deleteEndpointsId: {
    method: 'DELETE',
    path: '/v1/endpoints/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'endpoint_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postEndpointsIdRotateSecret: {
    method: 'POST',
    path: '/v1/endpoints/{id}/rotate-secret',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'endpoint_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'overlap_seconds',
        in: 'body'
      }
    ]
  },
  postEndpointsIdTest: {
    method: 'POST',
    path: '/v1/endpoints/{id}/test',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'endpoint_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'category',
        in: 'body'
      },
      {
        name: 'sign',
        in: 'body'
      }
    ]
  },
  postEndpointsIdReplay: {
    method: 'POST',
    path: '/v1/endpoints/{id}/replay',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'endpoint_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'since',
        in: 'body'
      },
      {
        name: 'until',
        in: 'body'
      },
      {
        name: 'status',
        in: 'body'
      }
    ]
  },
  getEndpointsIdReplayReplayId: {
    method: 'GET',
    path: '/v1/endpoints/{id}/replay/{replay_id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'endpoint_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'replay_id',
        in: 'path'
      }
    ],
    added: []
  },
  deleteEndpointsIdReplayReplayId: {
    method: 'DELETE',
    path: '/v1/endpoints/{id}/replay/{replay_id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'endpoint_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'replay_id',
        in: 'path'
      }
    ],
    added: []
  },
  getEndpointsIdEvents: {
    method: 'GET',
    path: '/v1/endpoints/{id}/events',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'endpoint_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'after',
        in: 'query'
      },
      {
        name: 'wait',
        in: 'query'
      }
    ]
  },
  postEndpointsIdAck: {
    method: 'POST',
    path: '/v1/endpoints/{id}/ack',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'endpoint_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'cursor',
        in: 'body'
      }
    ],
    added: []
  },
  getEndpointsIdStream: {
    method: 'GET',
    path: '/v1/endpoints/{id}/stream',
    token: 'key',
    answer: 'stream',
    inSight: [
      {
        name: 'endpoint_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  getDeliveries: {
    method: 'GET',
    path: '/v1/deliveries',
    token: 'key',
    answer: 'pages',
    inSight: [],
    added: [
      {
        name: 'session_id',
        in: 'query'
      },
      {
        name: 'event_type',
        in: 'query'
      },
      {
        name: 'status',
        in: 'query'
      },
      {
        name: 'webhook_id',
        in: 'query'
      },
      {
        name: 'endpoint_id',
        in: 'query'
      },
      {
        name: 'since',
        in: 'query'
      },
      {
        name: 'until',
        in: 'query'
      }
    ]
  },
  getDeliveriesEvents: {
    method: 'GET',
    path: '/v1/deliveries/events',
    token: 'key',
    answer: 'stream',
    inSight: [],
    added: [
      {
        name: 'session_id',
        in: 'query'
      },
      {
        name: 'event_type',
        in: 'query'
      },
      {
        name: 'status',
        in: 'query'
      },
      {
        name: 'webhook_id',
        in: 'query'
      },
      {
        name: 'endpoint_id',
        in: 'query'
      },
      {
        name: 'since',
        in: 'query'
      },
      {
        name: 'until',
        in: 'query'
      }
    ]
  },
  getDeliveriesId: {
    method: 'GET',
    path: '/v1/deliveries/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'delivery_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postDeliveriesIdResend: {
    method: 'POST',
    path: '/v1/deliveries/{id}/resend',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'delivery_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postDeliveriesIdGiveUp: {
    method: 'POST',
    path: '/v1/deliveries/{id}/give-up',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'delivery_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postListeners: {
    method: 'POST',
    path: '/v1/listeners',
    token: 'key',
    answer: 'one',
    inSight: [],
    added: [
      {
        name: 'keep_hours',
        in: 'body'
      },
      {
        name: 'kinds',
        in: 'body'
      }
    ]
  },
  getListenersIdEvents: {
    method: 'GET',
    path: '/v1/listeners/{id}/events',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'listener_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'after',
        in: 'query'
      }
    ],
    added: [
      {
        name: 'wait',
        in: 'query'
      },
      {
        name: 'keep_hours',
        in: 'query'
      }
    ]
  },
  deleteListenersId: {
    method: 'DELETE',
    path: '/v1/listeners/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'listener_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postSandboxSessionsIdIncoming: {
    method: 'POST',
    path: '/sandbox/sessions/{id}/incoming',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'from',
        in: 'body'
      },
      {
        name: 'type',
        in: 'body'
      }
    ],
    added: [
      {
        name: 'from_name',
        in: 'body'
      },
      {
        name: 'group',
        in: 'body'
      },
      {
        name: 'broadcast',
        in: 'body'
      },
      {
        name: 'text',
        in: 'body'
      },
      {
        name: 'media',
        in: 'body',
        isJson: true
      },
      {
        name: 'location',
        in: 'body',
        isJson: true
      },
      {
        name: 'poll',
        in: 'body',
        isJson: true
      },
      {
        name: 'button_response',
        in: 'body',
        isJson: true
      },
      {
        name: 'quoted_message_id',
        in: 'body'
      },
      {
        name: 'reacted_message_id',
        in: 'body'
      },
      {
        name: 'edited_message_id',
        in: 'body'
      },
      {
        name: 'revoked_message_id',
        in: 'body'
      },
      {
        name: 'view_once',
        in: 'body'
      },
      {
        name: 'withheld',
        in: 'body'
      }
    ]
  },
  postSandboxSessionsIdActions: {
    method: 'POST',
    path: '/sandbox/sessions/{id}/actions',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'action',
        in: 'body'
      }
    ],
    added: [
      {
        name: 'from',
        in: 'body'
      },
      {
        name: 'group',
        in: 'body'
      },
      {
        name: 'message_id',
        in: 'body'
      },
      {
        name: 'typing',
        in: 'body'
      },
      {
        name: 'media',
        in: 'body'
      },
      {
        name: 'enabled',
        in: 'body'
      },
      {
        name: 'online',
        in: 'body'
      },
      {
        name: 'last_seen_unix',
        in: 'body'
      },
      {
        name: 'video',
        in: 'body'
      },
      {
        name: 'event',
        in: 'body'
      },
      {
        name: 'call_id',
        in: 'body'
      },
      {
        name: 'reason',
        in: 'body'
      },
      {
        name: 'about',
        in: 'body'
      },
      {
        name: 'picture',
        in: 'body'
      },
      {
        name: 'hidden',
        in: 'body'
      },
      {
        name: 'options',
        in: 'body'
      },
      {
        name: 'newsletter',
        in: 'body'
      },
      {
        name: 'name',
        in: 'body'
      },
      {
        name: 'managed',
        in: 'body'
      },
      {
        name: 'text',
        in: 'body'
      },
      {
        name: 'seconds',
        in: 'body'
      },
      {
        name: 'ack',
        in: 'body'
      },
      {
        name: 'code',
        in: 'body'
      },
      {
        name: 'times',
        in: 'body'
      }
    ]
  },
  getSandboxSessionsIdMessages: {
    method: 'GET',
    path: '/sandbox/sessions/{id}/messages',
    token: 'key',
    answer: 'pages',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'contact',
        in: 'query'
      },
      {
        name: 'include_media',
        in: 'query'
      }
    ]
  },
  postSandboxPairingsIdScan: {
    method: 'POST',
    path: '/sandbox/pairings/{id}/scan',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'pairing_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postSandboxPairingsIdPasskey: {
    method: 'POST',
    path: '/sandbox/pairings/{id}/passkey',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'pairing_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  getSandboxSessionsIdConditions: {
    method: 'GET',
    path: '/sandbox/sessions/{id}/conditions',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'contact',
        in: 'query'
      }
    ]
  },
  postSandboxSessionsIdWatch: {
    method: 'POST',
    path: '/sandbox/sessions/{id}/watch',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  getSandboxDeliveriesId: {
    method: 'GET',
    path: '/sandbox/deliveries/{id}',
    token: 'key',
    answer: 'one',
    inSight: [
      {
        name: 'delivery_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  },
  postOperatorAccounts: {
    method: 'POST',
    path: '/operator/accounts',
    token: 'operator',
    answer: 'one',
    inSight: [
      {
        name: 'name',
        in: 'body'
      }
    ],
    added: [
      {
        name: 'plan',
        in: 'body'
      },
      {
        name: 'email',
        in: 'body'
      },
      {
        name: 'password',
        in: 'body'
      },
      {
        name: 'limits',
        in: 'body',
        isJson: true
      },
      {
        name: 'accept_tos',
        in: 'body'
      }
    ]
  },
  getOperatorAccounts: {
    method: 'GET',
    path: '/operator/accounts',
    token: 'operator',
    answer: 'pages',
    inSight: [],
    added: []
  },
  patchOperatorAccountsId: {
    method: 'PATCH',
    path: '/operator/accounts/{id}',
    token: 'operator',
    answer: 'one',
    inSight: [
      {
        name: 'account_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: [
      {
        name: 'name',
        in: 'body'
      },
      {
        name: 'plan',
        in: 'body'
      },
      {
        name: 'email',
        in: 'body'
      },
      {
        name: 'password',
        in: 'body'
      },
      {
        name: 'limits',
        in: 'body',
        isJson: true
      },
      {
        name: 'accept_tos',
        in: 'body'
      }
    ]
  },
  postOperatorAccountsIdKeys: {
    method: 'POST',
    path: '/operator/accounts/{id}/keys',
    token: 'operator',
    answer: 'one',
    inSight: [
      {
        name: 'account_id',
        at: 'id',
        in: 'path'
      },
      {
        name: 'label',
        in: 'body'
      }
    ],
    added: [
      {
        name: 'scopes',
        in: 'body'
      }
    ]
  },
  postOperatorSignInLinks: {
    method: 'POST',
    path: '/operator/sign-in-links',
    token: 'operator',
    answer: 'one',
    inSight: [],
    added: [
      {
        name: 'account_id',
        in: 'body'
      }
    ]
  },
  getOperatorOverview: {
    method: 'GET',
    path: '/operator/overview',
    token: 'operator',
    answer: 'one',
    inSight: [],
    added: []
  },
  postOperatorSessionsIdTakeBack: {
    method: 'POST',
    path: '/operator/sessions/{id}/take-back',
    token: 'operator',
    answer: 'one',
    inSight: [
      {
        name: 'session_id',
        at: 'id',
        in: 'path'
      }
    ],
    added: []
  }
}

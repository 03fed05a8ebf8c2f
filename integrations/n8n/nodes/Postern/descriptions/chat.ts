// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const chatFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'chat'
        ]
      }
    },
    options: [
      {
        name: 'Get',
        value: 'getSessionsIdChatsJid',
        description: 'Get a chat',
        action: 'Get a chat'
      },
      {
        name: 'Get Many',
        value: 'getSessionsIdChats',
        description: 'List the chats of a number',
        action: 'Get many chats'
      },
      {
        name: 'Request History',
        value: 'postSessionsIdChatsJidHistory',
        description: 'Request older messages of a chat from the phone',
        action: 'Request history'
      },
      {
        name: 'Star Message',
        value: 'putSessionsIdChatsJidStarsMessageId',
        description: 'Star a message',
        action: 'Star message'
      },
      {
        name: 'Unstar Message',
        value: 'deleteSessionsIdChatsJidStarsMessageId',
        description: 'Remove the star of a message',
        action: 'Unstar message'
      },
      {
        name: 'Update',
        value: 'patchSessionsIdChatsJid',
        description: 'Archive, pin, mute, mark or label a chat',
        action: 'Update a chat'
      }
    ],
    default: 'getSessionsIdChats'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'getSessionsIdChats'
        ]
      }
    },
    default: '',
    typeOptions: {
      loadOptionsMethod: 'getSessions'
    },
    required: true,
    description: 'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'
  },
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'getSessionsIdChats'
        ]
      }
    },
    default: false,
    description: 'Whether to return all results or only up to a given limit'
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'getSessionsIdChats'
        ],
        returnAll: [
          false
        ]
      }
    },
    default: 50,
    typeOptions: {
      minValue: 1
    },
    description: 'Max number of results to return'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'getSessionsIdChatsJid'
        ]
      }
    },
    default: '',
    typeOptions: {
      loadOptionsMethod: 'getSessions'
    },
    required: true,
    description: 'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'
  },
  {
    displayName: 'Chat JID',
    name: 'chat_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'getSessionsIdChatsJid'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of a contact or a group, or a phone number'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'patchSessionsIdChatsJid'
        ]
      }
    },
    default: '',
    typeOptions: {
      loadOptionsMethod: 'getSessions'
    },
    required: true,
    description: 'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'
  },
  {
    displayName: 'Chat JID',
    name: 'chat_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'patchSessionsIdChatsJid'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of a contact or a group, or a phone number'
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'patchSessionsIdChatsJid'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Archived',
        name: 'archived',
        type: 'boolean',
        default: false,
        description: 'Whether to set it: An archived chat is not pinned'
      },
      {
        displayName: 'Labels',
        name: 'labels',
        type: 'string',
        default: [],
        typeOptions: {
          multipleValues: true
        },
        description: 'The IDs of all labels that the chat has from now on'
      },
      {
        displayName: 'Muted Until',
        name: 'muted_until',
        type: 'string',
        default: '',
        description: 'Until when the chat is muted: 9999-12-31T00:00:00.000Z if that has no end. Null: it is not muted.'
      },
      {
        displayName: 'Pinned',
        name: 'pinned',
        type: 'boolean',
        default: false,
        description: 'Whether to set pinned'
      },
      {
        displayName: 'Read',
        name: 'read',
        type: 'boolean',
        default: false,
        description: 'Whether to set it: True marks the chat as read on the phone, without read receipts to the people who wrote. False marks it as unread.'
      }
    ]
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'putSessionsIdChatsJidStarsMessageId'
        ]
      }
    },
    default: '',
    typeOptions: {
      loadOptionsMethod: 'getSessions'
    },
    required: true,
    description: 'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'
  },
  {
    displayName: 'Chat JID',
    name: 'chat_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'putSessionsIdChatsJidStarsMessageId'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of a contact or a group, or a phone number'
  },
  {
    displayName: 'Message ID',
    name: 'message_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'putSessionsIdChatsJidStarsMessageId'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The `message_id` of a message that you received, or the `msg_…` of one that you sent'
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'putSessionsIdChatsJidStarsMessageId'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Participant',
        name: 'participant',
        type: 'string',
        default: '',
        description: 'The author, in a group, if the gateway has not seen the message'
      }
    ]
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'deleteSessionsIdChatsJidStarsMessageId'
        ]
      }
    },
    default: '',
    typeOptions: {
      loadOptionsMethod: 'getSessions'
    },
    required: true,
    description: 'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'
  },
  {
    displayName: 'Chat JID',
    name: 'chat_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'deleteSessionsIdChatsJidStarsMessageId'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of a contact or a group, or a phone number'
  },
  {
    displayName: 'Message ID',
    name: 'message_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'deleteSessionsIdChatsJidStarsMessageId'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The `message_id` of a message that you received, or the `msg_…` of one that you sent'
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'deleteSessionsIdChatsJidStarsMessageId'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Participant',
        name: 'participant',
        type: 'string',
        default: '',
        description: 'The author, in a group, if the gateway has not seen the message'
      }
    ]
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'postSessionsIdChatsJidHistory'
        ]
      }
    },
    default: '',
    typeOptions: {
      loadOptionsMethod: 'getSessions'
    },
    required: true,
    description: 'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'
  },
  {
    displayName: 'Chat JID',
    name: 'chat_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'postSessionsIdChatsJidHistory'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of a contact or a group, or a phone number'
  },
  {
    displayName: 'Before Message ID',
    name: 'before_message_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'postSessionsIdChatsJidHistory'
        ]
      }
    },
    default: '',
    required: true,
    description: 'A message of the chat that the gateway knows, by its ID on the platform or of the gateway'
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'chat'
        ],
        operation: [
          'postSessionsIdChatsJidHistory'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Before Timestamp Unix',
        name: 'before_timestamp_unix',
        type: 'number',
        default: 1,
        typeOptions: {
          minValue: 1,
          maxValue: 253402300799
        },
        description: 'Its `timestamp_unix`, for a phone that does not have that message any more'
      },
      {
        displayName: 'Count',
        name: 'count',
        type: 'number',
        default: 50,
        typeOptions: {
          minValue: 1,
          maxValue: 500
        }
      }
    ]
  }
]

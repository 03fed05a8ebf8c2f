// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const endpointFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ]
      }
    },
    options: [
      {
        name: 'Acknowledge Events',
        value: 'postEndpointsIdAck',
        description: 'Acknowledge the events of a pull endpoint up to a cursor',
        action: 'Acknowledge events'
      },
      {
        name: 'Cancel Replay',
        value: 'deleteEndpointsIdReplayReplayId',
        description: 'Cancel a replay job of an endpoint',
        action: 'Cancel replay'
      },
      {
        name: 'Create',
        value: 'postEndpoints',
        description: 'Create an endpoint that gets events of several numbers',
        action: 'Create an endpoint'
      },
      {
        name: 'Delete',
        value: 'deleteEndpointsId',
        description: 'Delete an endpoint',
        action: 'Delete an endpoint'
      },
      {
        name: 'Get',
        value: 'getEndpointsId',
        description: 'Get an endpoint',
        action: 'Get an endpoint'
      },
      {
        name: 'Get Many',
        value: 'getEndpoints',
        description: 'List the endpoints of the account',
        action: 'Get many endpoints'
      },
      {
        name: 'Get Replay',
        value: 'getEndpointsIdReplayReplayId',
        description: 'Get the progress of a replay job of an endpoint',
        action: 'Get replay'
      },
      {
        name: 'Read Events',
        value: 'getEndpointsIdEvents',
        description: 'Read the events of a pull endpoint, oldest first',
        action: 'Read events'
      },
      {
        name: 'Replay',
        value: 'postEndpointsIdReplay',
        description: 'Start a job that sends the dead letters of an endpoint again',
        action: 'Replay an endpoint'
      },
      {
        name: 'Rotate Secret',
        value: 'postEndpointsIdRotateSecret',
        description: 'Rotate the secret of an endpoint',
        action: 'Rotate secret'
      },
      {
        name: 'Test',
        value: 'postEndpointsIdTest',
        description: 'Send a sample payload to an endpoint and return its response',
        action: 'Test an endpoint'
      },
      {
        name: 'Update',
        value: 'patchEndpointsId',
        description: 'Change an endpoint',
        action: 'Update an endpoint'
      },
      {
        name: 'Watch Events',
        value: 'getEndpointsIdStream',
        description: 'Read the events of a pull endpoint as server-sent events, or over a WebSocket',
        action: 'Watch events'
      }
    ],
    default: 'postEndpoints'
  },
  {
    displayName: 'Idempotency Key',
    name: 'idempotencyKey',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'postEndpoints'
        ]
      }
    },
    default: '',
    placeholder: 'order-1001-shipped',
    description: 'The same key never sends a second message. Empty: one of this execution, node and item, so that a retry of n8n sends nothing twice.'
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'postEndpoints'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Active',
        name: 'active',
        type: 'boolean',
        default: false,
        description: 'Whether to set active'
      },
      {
        displayName: 'Description',
        name: 'description',
        type: 'string',
        default: '',
        description: 'A note for people'
      },
      {
        displayName: 'Direction',
        name: 'direction',
        type: 'options',
        default: 'in',
        options: [
          {
            name: 'In',
            value: 'in'
          },
          {
            name: 'Out',
            value: 'out'
          }
        ],
        description: '`in`: only what people send to your numbers. `out`: only what your numbers send, and what becomes of it. Null: both. Kinds `connection`, `endpoint`, `group`, `contact`, `person`, `chat`, `health` and `newsletter` have no direction.'
      },
      {
        displayName: 'Headers',
        name: 'headers',
        type: 'json',
        default: '{}',
        description: 'Headers that each request has besides those of the gateway. No response shows their values. As JSON.'
      },
      {
        displayName: 'Include',
        name: 'include',
        type: 'string',
        default: [],
        typeOptions: {
          multipleValues: true
        },
        description: 'More than a webhook gets. `own`: messages that people write on the number’s own phone. `context`: more fields of each message, such as mentions and contacts. `group`: events of kind `group`, the changes of groups, besides its `kinds`. `contact`: events of kind `contact`, the changes of people, besides its `kinds`. `person`: events of kind `person`, phone numbers of hidden identifiers. `chat`: events of kind `chat`, what the owner of a number does with chats on the phone. `health`: events of kind `health`, restrictions and bans of numbers. `newsletter`: events of kind `newsletter`, the changes of channels. `history`: older messages that you request from the phone'
      },
      {
        displayName: 'Keep Hours',
        name: 'keep_hours',
        type: 'number',
        default: 1,
        typeOptions: {
          minValue: 1,
          maxValue: 2160
        },
        description: 'Only for `pull`: for how many hours the gateway keeps an event that your program does not acknowledge; 72 by default. At most 72 on the free plan, 720 on pro and 2,160 on max.'
      },
      {
        displayName: 'Kinds',
        name: 'kinds',
        type: 'multiOptions',
        default: [],
        options: [
          {
            name: 'Call',
            value: 'call'
          },
          {
            name: 'Chat',
            value: 'chat'
          },
          {
            name: 'Connection',
            value: 'connection'
          },
          {
            name: 'Contact',
            value: 'contact'
          },
          {
            name: 'Endpoint',
            value: 'endpoint'
          },
          {
            name: 'Group',
            value: 'group'
          },
          {
            name: 'Health',
            value: 'health'
          },
          {
            name: 'Message',
            value: 'message'
          },
          {
            name: 'Newsletter',
            value: 'newsletter'
          },
          {
            name: 'Newsletter Message',
            value: 'newsletter_message'
          },
          {
            name: 'Person',
            value: 'person'
          },
          {
            name: 'Poll Vote',
            value: 'poll_vote'
          },
          {
            name: 'Presence',
            value: 'presence'
          },
          {
            name: 'Receipt',
            value: 'receipt'
          },
          {
            name: 'Status',
            value: 'status'
          },
          {
            name: 'Typing',
            value: 'typing'
          }
        ],
        description: 'The kinds of events that it gets. Null: every kind of a webhook except `typing` and `presence`, which you name: while an endpoint gets them, numbers with `appear: auto` appear online. `endpoint` tells you about endpoints that fail.'
      },
      {
        displayName: 'Media',
        name: 'media',
        type: 'options',
        default: 'inline',
        options: [
          {
            name: 'Inline',
            value: 'inline'
          },
          {
            name: 'URL',
            value: 'url'
          }
        ],
        description: '`inline`: events have files up to 4 MB in `media.data`, as webhooks do. `url`: `media.data` is empty, and `media.ID` is the ID of the file, of any size, for `GET /v1/media/{ID}`'
      },
      {
        displayName: 'Reply',
        name: 'reply',
        type: 'boolean',
        default: false,
        description: 'Whether its answer to a `message` is sent to the chat: a response with JSON such as `{"text": "Hello"}`, the body of POST /v1/messages without `session_id` and `to`. Each event is answered once. The key needs the scope `send`.'
      },
      {
        displayName: 'Retry',
        name: 'retry',
        type: 'options',
        default: 'eager',
        options: [
          {
            name: 'Eager',
            value: 'eager'
          },
          {
            name: 'Ladder',
            value: 'ladder'
          }
        ],
        description: '`eager`: while the endpoint fails, the gateway tries one delivery every few seconds, and sends everything that waits, in order, as soon as one succeeds. `ladder`: each delivery is retried on its own, by the schedule of webhooks'
      },
      {
        displayName: 'Session IDs',
        name: 'session_ids',
        type: 'string',
        default: [],
        typeOptions: {
          multipleValues: true
        },
        description: 'The numbers whose events it gets. Null: every number of the account.'
      },
      {
        displayName: 'Signature',
        name: 'signature',
        type: 'options',
        default: 'postern',
        options: [
          {
            name: 'Postern',
            value: 'postern'
          },
          {
            name: 'Standard',
            value: 'standard'
          }
        ],
        description: '`postern`: the headers of a webhook. `standard`: Standard Webhooks (webhook-ID, webhook-timestamp, webhook-signature).'
      },
      {
        displayName: 'Type',
        name: 'type',
        type: 'options',
        default: 'webhook',
        options: [
          {
            name: 'Pull',
            value: 'pull'
          },
          {
            name: 'Webhook',
            value: 'webhook'
          }
        ],
        description: '`webhook`: the gateway posts each event to `url`. `pull`: the gateway keeps the events, and your program reads them'
      },
      {
        displayName: 'URL',
        name: 'url',
        type: 'string',
        default: '',
        description: 'The URL that receives the events'
      }
    ]
  },
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'getEndpoints'
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
          'endpoint'
        ],
        operation: [
          'getEndpoints'
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
    displayName: 'Endpoint ID',
    name: 'endpoint_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'getEndpointsId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Endpoint ID',
    name: 'endpoint_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'patchEndpointsId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'patchEndpointsId'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Active',
        name: 'active',
        type: 'boolean',
        default: false,
        description: 'Whether to set active'
      },
      {
        displayName: 'Description',
        name: 'description',
        type: 'string',
        default: '',
        description: 'A note for people'
      },
      {
        displayName: 'Direction',
        name: 'direction',
        type: 'options',
        default: 'in',
        options: [
          {
            name: 'In',
            value: 'in'
          },
          {
            name: 'Out',
            value: 'out'
          }
        ],
        description: '`in`: only what people send to your numbers. `out`: only what your numbers send, and what becomes of it. Null: both. Kinds `connection`, `endpoint`, `group`, `contact`, `person`, `chat`, `health` and `newsletter` have no direction.'
      },
      {
        displayName: 'Headers',
        name: 'headers',
        type: 'json',
        default: '{}',
        description: 'Headers that each request has besides those of the gateway. No response shows their values. As JSON.'
      },
      {
        displayName: 'Include',
        name: 'include',
        type: 'string',
        default: [],
        typeOptions: {
          multipleValues: true
        },
        description: 'More than a webhook gets. `own`: messages that people write on the number’s own phone. `context`: more fields of each message, such as mentions and contacts. `group`: events of kind `group`, the changes of groups, besides its `kinds`. `contact`: events of kind `contact`, the changes of people, besides its `kinds`. `person`: events of kind `person`, phone numbers of hidden identifiers. `chat`: events of kind `chat`, what the owner of a number does with chats on the phone. `health`: events of kind `health`, restrictions and bans of numbers. `newsletter`: events of kind `newsletter`, the changes of channels. `history`: older messages that you request from the phone'
      },
      {
        displayName: 'Keep Hours',
        name: 'keep_hours',
        type: 'number',
        default: 1,
        typeOptions: {
          minValue: 1,
          maxValue: 2160
        },
        description: 'Only for `pull`: for how many hours the gateway keeps an event that your program does not acknowledge; 72 by default. At most 72 on the free plan, 720 on pro and 2,160 on max.'
      },
      {
        displayName: 'Kinds',
        name: 'kinds',
        type: 'multiOptions',
        default: [],
        options: [
          {
            name: 'Call',
            value: 'call'
          },
          {
            name: 'Chat',
            value: 'chat'
          },
          {
            name: 'Connection',
            value: 'connection'
          },
          {
            name: 'Contact',
            value: 'contact'
          },
          {
            name: 'Endpoint',
            value: 'endpoint'
          },
          {
            name: 'Group',
            value: 'group'
          },
          {
            name: 'Health',
            value: 'health'
          },
          {
            name: 'Message',
            value: 'message'
          },
          {
            name: 'Newsletter',
            value: 'newsletter'
          },
          {
            name: 'Newsletter Message',
            value: 'newsletter_message'
          },
          {
            name: 'Person',
            value: 'person'
          },
          {
            name: 'Poll Vote',
            value: 'poll_vote'
          },
          {
            name: 'Presence',
            value: 'presence'
          },
          {
            name: 'Receipt',
            value: 'receipt'
          },
          {
            name: 'Status',
            value: 'status'
          },
          {
            name: 'Typing',
            value: 'typing'
          }
        ],
        description: 'The kinds of events that it gets. Null: every kind of a webhook except `typing` and `presence`, which you name: while an endpoint gets them, numbers with `appear: auto` appear online. `endpoint` tells you about endpoints that fail.'
      },
      {
        displayName: 'Media',
        name: 'media',
        type: 'options',
        default: 'inline',
        options: [
          {
            name: 'Inline',
            value: 'inline'
          },
          {
            name: 'URL',
            value: 'url'
          }
        ],
        description: '`inline`: events have files up to 4 MB in `media.data`, as webhooks do. `url`: `media.data` is empty, and `media.ID` is the ID of the file, of any size, for `GET /v1/media/{ID}`'
      },
      {
        displayName: 'Reply',
        name: 'reply',
        type: 'boolean',
        default: false,
        description: 'Whether its answer to a `message` is sent to the chat: a response with JSON such as `{"text": "Hello"}`, the body of POST /v1/messages without `session_id` and `to`. Each event is answered once. The key needs the scope `send`.'
      },
      {
        displayName: 'Retry',
        name: 'retry',
        type: 'options',
        default: 'eager',
        options: [
          {
            name: 'Eager',
            value: 'eager'
          },
          {
            name: 'Ladder',
            value: 'ladder'
          }
        ],
        description: '`eager`: while the endpoint fails, the gateway tries one delivery every few seconds, and sends everything that waits, in order, as soon as one succeeds. `ladder`: each delivery is retried on its own, by the schedule of webhooks'
      },
      {
        displayName: 'Session IDs',
        name: 'session_ids',
        type: 'string',
        default: [],
        typeOptions: {
          multipleValues: true
        },
        description: 'The numbers whose events it gets. Null: every number of the account.'
      },
      {
        displayName: 'Signature',
        name: 'signature',
        type: 'options',
        default: 'postern',
        options: [
          {
            name: 'Postern',
            value: 'postern'
          },
          {
            name: 'Standard',
            value: 'standard'
          }
        ],
        description: '`postern`: the headers of a webhook. `standard`: Standard Webhooks (webhook-ID, webhook-timestamp, webhook-signature).'
      },
      {
        displayName: 'URL',
        name: 'url',
        type: 'string',
        default: '',
        description: 'The URL that receives the events'
      }
    ]
  },
  {
    displayName: 'Endpoint ID',
    name: 'endpoint_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'deleteEndpointsId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Endpoint ID',
    name: 'endpoint_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'postEndpointsIdRotateSecret'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'postEndpointsIdRotateSecret'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Overlap Seconds',
        name: 'overlap_seconds',
        type: 'number',
        default: 0,
        typeOptions: {
          minValue: 0,
          maxValue: 604800
        }
      }
    ]
  },
  {
    displayName: 'Endpoint ID',
    name: 'endpoint_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'postEndpointsIdTest'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'postEndpointsIdTest'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Category',
        name: 'category',
        type: 'options',
        default: 'messages',
        options: [
          {
            name: 'Connection',
            value: 'connection'
          },
          {
            name: 'Events',
            value: 'events'
          },
          {
            name: 'Messages',
            value: 'messages'
          },
          {
            name: 'Status',
            value: 'status'
          }
        ]
      },
      {
        displayName: 'Sign',
        name: 'sign',
        type: 'boolean',
        default: true,
        description: 'Whether to set sign'
      }
    ]
  },
  {
    displayName: 'Endpoint ID',
    name: 'endpoint_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'postEndpointsIdReplay'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'postEndpointsIdReplay'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Since',
        name: 'since',
        type: 'string',
        default: '',
        placeholder: '2026-01-31T12:00:00Z'
      },
      {
        displayName: 'Status',
        name: 'status',
        type: 'string',
        default: '',
        description: '`dead` (the default) or `failed`'
      },
      {
        displayName: 'Until',
        name: 'until',
        type: 'string',
        default: '',
        placeholder: '2026-01-31T12:00:00Z'
      }
    ]
  },
  {
    displayName: 'Endpoint ID',
    name: 'endpoint_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'getEndpointsIdReplayReplayId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Replay ID',
    name: 'replay_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'getEndpointsIdReplayReplayId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Endpoint ID',
    name: 'endpoint_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'deleteEndpointsIdReplayReplayId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Replay ID',
    name: 'replay_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'deleteEndpointsIdReplayReplayId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Endpoint ID',
    name: 'endpoint_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'getEndpointsIdEvents'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'getEndpointsIdEvents'
        ]
      }
    },
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'After',
        name: 'after',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Wait',
        name: 'wait',
        type: 'number',
        default: 0,
        typeOptions: {
          minValue: 0,
          maxValue: 25
        },
        description: 'How many seconds to wait if there is no event yet'
      }
    ]
  },
  {
    displayName: 'Endpoint ID',
    name: 'endpoint_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'postEndpointsIdAck'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Cursor',
    name: 'cursor',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'postEndpointsIdAck'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'postEndpointsIdAck'
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
          'endpoint'
        ],
        operation: [
          'postEndpointsIdAck'
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
    displayName: 'Endpoint ID',
    name: 'endpoint_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'getEndpointsIdStream'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Watch for Seconds',
    name: 'seconds',
    type: 'number',
    displayOptions: {
      show: {
        resource: [
          'endpoint'
        ],
        operation: [
          'getEndpointsIdStream'
        ]
      }
    },
    default: 30,
    typeOptions: {
      minValue: 1,
      maxValue: 280
    },
    description: 'How long to gather events, where the stream does not end before'
  }
]

// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const webhookFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'webhook'
        ]
      }
    },
    options: [
      {
        name: 'Cancel Replay',
        value: 'deleteWebhooksIdReplayReplayId',
        description: 'Stop a replay job; what is in the queue by now is still sent',
        action: 'Cancel replay'
      },
      {
        name: 'Create',
        value: 'postWebhooks',
        description: 'Create the webhook config of a number',
        action: 'Create a webhook'
      },
      {
        name: 'Delete',
        value: 'deleteWebhooksId',
        description: 'Delete a webhook config; what waits for it is not sent any more',
        action: 'Delete a webhook'
      },
      {
        name: 'Get',
        value: 'getWebhooksId',
        description: 'One webhook config',
        action: 'Get a webhook'
      },
      {
        name: 'Get Many',
        value: 'getWebhooks',
        description: 'The account\'s webhook configs',
        action: 'Get many webhooks'
      },
      {
        name: 'Get Replay',
        value: 'getWebhooksIdReplayReplayId',
        description: 'How far a replay job is',
        action: 'Get replay'
      },
      {
        name: 'Replay',
        value: 'postWebhooksIdReplay',
        description: 'Send dead letters again, as a job that can be watched and cancelled',
        action: 'Replay a webhook'
      },
      {
        name: 'Rotate Secret',
        value: 'postWebhooksIdRotateSecret',
        description: 'Make a new secret, shown once; both sign during the overlap',
        action: 'Rotate secret'
      },
      {
        name: 'Test',
        value: 'postWebhooksIdTest',
        description: 'Send a sample payload to each endpoint, or to one, and see what it answers',
        action: 'Test a webhook'
      },
      {
        name: 'Update',
        value: 'putWebhooksId',
        description: 'Change URLs; the ones not given and the secret stay as they are',
        action: 'Update a webhook'
      }
    ],
    default: 'postWebhooks'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'webhook'
        ],
        operation: [
          'postWebhooks'
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
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'webhook'
        ],
        operation: [
          'postWebhooks'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Connection URL',
        name: 'connection_url',
        type: 'string',
        default: '',
        description: 'Receives kind connection. Empty: the category is not sent.'
      },
      {
        displayName: 'Events URL',
        name: 'events_url',
        type: 'string',
        default: '',
        description: 'Receives kinds poll_vote, typing, presence, call and newsletter_message. Empty: the category is not sent.'
      },
      {
        displayName: 'Messages URL',
        name: 'messages_url',
        type: 'string',
        default: '',
        description: 'Receives kind message. Empty: the category is not sent.'
      },
      {
        displayName: 'Status URL',
        name: 'status_url',
        type: 'string',
        default: '',
        description: 'Receives kinds receipt and status. Empty: the category is not sent.'
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
          'webhook'
        ],
        operation: [
          'getWebhooks'
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
          'webhook'
        ],
        operation: [
          'getWebhooks'
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
    displayName: 'Webhook ID',
    name: 'webhook_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'webhook'
        ],
        operation: [
          'getWebhooksId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Webhook ID',
    name: 'webhook_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'webhook'
        ],
        operation: [
          'putWebhooksId'
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
          'webhook'
        ],
        operation: [
          'putWebhooksId'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Connection URL',
        name: 'connection_url',
        type: 'string',
        default: '',
        description: 'Receives kind connection. Empty: the category is not sent.'
      },
      {
        displayName: 'Events URL',
        name: 'events_url',
        type: 'string',
        default: '',
        description: 'Receives kinds poll_vote, typing, presence, call and newsletter_message. Empty: the category is not sent.'
      },
      {
        displayName: 'Messages URL',
        name: 'messages_url',
        type: 'string',
        default: '',
        description: 'Receives kind message. Empty: the category is not sent.'
      },
      {
        displayName: 'Status URL',
        name: 'status_url',
        type: 'string',
        default: '',
        description: 'Receives kinds receipt and status. Empty: the category is not sent.'
      }
    ]
  },
  {
    displayName: 'Webhook ID',
    name: 'webhook_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'webhook'
        ],
        operation: [
          'deleteWebhooksId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Webhook ID',
    name: 'webhook_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'webhook'
        ],
        operation: [
          'postWebhooksIdRotateSecret'
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
          'webhook'
        ],
        operation: [
          'postWebhooksIdRotateSecret'
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
    displayName: 'Webhook ID',
    name: 'webhook_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'webhook'
        ],
        operation: [
          'postWebhooksIdTest'
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
          'webhook'
        ],
        operation: [
          'postWebhooksIdTest'
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
    displayName: 'Webhook ID',
    name: 'webhook_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'webhook'
        ],
        operation: [
          'postWebhooksIdReplay'
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
          'webhook'
        ],
        operation: [
          'postWebhooksIdReplay'
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
        description: 'Dead (default) or failed'
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
    displayName: 'Webhook ID',
    name: 'webhook_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'webhook'
        ],
        operation: [
          'getWebhooksIdReplayReplayId'
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
          'webhook'
        ],
        operation: [
          'getWebhooksIdReplayReplayId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Webhook ID',
    name: 'webhook_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'webhook'
        ],
        operation: [
          'deleteWebhooksIdReplayReplayId'
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
          'webhook'
        ],
        operation: [
          'deleteWebhooksIdReplayReplayId'
        ]
      }
    },
    default: '',
    required: true
  }
]

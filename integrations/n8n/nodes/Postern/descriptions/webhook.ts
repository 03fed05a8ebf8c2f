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
        description: 'Cancel a replay job',
        action: 'Cancel replay'
      },
      {
        name: 'Create',
        value: 'postWebhooks',
        description: 'Create the webhook of a number',
        action: 'Create a webhook'
      },
      {
        name: 'Delete',
        value: 'deleteWebhooksId',
        description: 'Delete a webhook',
        action: 'Delete a webhook'
      },
      {
        name: 'Get',
        value: 'getWebhooksId',
        description: 'Get a webhook',
        action: 'Get a webhook'
      },
      {
        name: 'Get Many',
        value: 'getWebhooks',
        description: 'List the webhooks of the account',
        action: 'Get many webhooks'
      },
      {
        name: 'Get Replay',
        value: 'getWebhooksIdReplayReplayId',
        description: 'Get the progress of a replay job',
        action: 'Get replay'
      },
      {
        name: 'Replay',
        value: 'postWebhooksIdReplay',
        description: 'Start a job that sends dead letters again',
        action: 'Replay a webhook'
      },
      {
        name: 'Rotate Secret',
        value: 'postWebhooksIdRotateSecret',
        description: 'Rotate the secret of a webhook',
        action: 'Rotate secret'
      },
      {
        name: 'Test',
        value: 'postWebhooksIdTest',
        description: 'Send a sample payload to your endpoints and return their responses',
        action: 'Test a webhook'
      },
      {
        name: 'Update',
        value: 'putWebhooksId',
        description: 'Change the URLs of a webhook',
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
        description: 'The URL that receives kind connection. If it is empty, the gateway does not send the category.'
      },
      {
        displayName: 'Events URL',
        name: 'events_url',
        type: 'string',
        default: '',
        description: 'The URL that receives kinds poll_vote, typing, presence, call and newsletter_message. If it is empty, the gateway does not send the category.'
      },
      {
        displayName: 'Messages URL',
        name: 'messages_url',
        type: 'string',
        default: '',
        description: 'The URL that receives kind message. If it is empty, the gateway does not send the category.'
      },
      {
        displayName: 'Status URL',
        name: 'status_url',
        type: 'string',
        default: '',
        description: 'The URL that receives kinds receipt and status. If it is empty, the gateway does not send the category.'
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
        description: 'The URL that receives kind connection. If it is empty, the gateway does not send the category.'
      },
      {
        displayName: 'Events URL',
        name: 'events_url',
        type: 'string',
        default: '',
        description: 'The URL that receives kinds poll_vote, typing, presence, call and newsletter_message. If it is empty, the gateway does not send the category.'
      },
      {
        displayName: 'Messages URL',
        name: 'messages_url',
        type: 'string',
        default: '',
        description: 'The URL that receives kind message. If it is empty, the gateway does not send the category.'
      },
      {
        displayName: 'Status URL',
        name: 'status_url',
        type: 'string',
        default: '',
        description: 'The URL that receives kinds receipt and status. If it is empty, the gateway does not send the category.'
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

// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const deliveryFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'delivery'
        ]
      }
    },
    options: [
      {
        name: 'Get',
        value: 'getDeliveriesId',
        description: 'Get a delivery with its attempts',
        action: 'Get a delivery'
      },
      {
        name: 'Get Many',
        value: 'getDeliveries',
        description: 'List the delivery history, newest first',
        action: 'Get many deliveries'
      },
      {
        name: 'Give Up',
        value: 'postDeliveriesIdGiveUp',
        description: 'Stop the retries of a delivery and make it a dead letter',
        action: 'Give up'
      },
      {
        name: 'Resend',
        value: 'postDeliveriesIdResend',
        description: 'Deliver the same event again, with the same X-Message-ID',
        action: 'Resend a delivery'
      },
      {
        name: 'Watch',
        value: 'getDeliveriesEvents',
        description: 'Follow the delivery history as server-sent events',
        action: 'Watch a delivery'
      }
    ],
    default: 'getDeliveries'
  },
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    displayOptions: {
      show: {
        resource: [
          'delivery'
        ],
        operation: [
          'getDeliveries'
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
          'delivery'
        ],
        operation: [
          'getDeliveries'
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
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'delivery'
        ],
        operation: [
          'getDeliveries'
        ]
      }
    },
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'Endpoint ID',
        name: 'endpoint_id',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Event Type',
        name: 'event_type',
        type: 'options',
        default: 'incoming_message',
        options: [
          {
            name: 'Connection Status',
            value: 'connection_status'
          },
          {
            name: 'Incoming Message',
            value: 'incoming_message'
          },
          {
            name: 'Message Status',
            value: 'message_status'
          },
          {
            name: 'Other',
            value: 'other'
          },
          {
            name: 'Outbound Failure',
            value: 'outbound_failure'
          }
        ]
      },
      {
        displayName: 'Number Name or ID',
        name: 'session_id',
        type: 'options',
        default: '',
        typeOptions: {
          loadOptionsMethod: 'getSessions'
        },
        description: 'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'
      },
      {
        displayName: 'Since',
        name: 'since',
        type: 'string',
        default: '',
        placeholder: '2026-01-31T12:00:00Z',
        description: 'ISO 8601: only entries from this time on'
      },
      {
        displayName: 'Status',
        name: 'status',
        type: 'options',
        default: 'pending',
        options: [
          {
            name: 'Dead',
            value: 'dead'
          },
          {
            name: 'Delivered',
            value: 'delivered'
          },
          {
            name: 'Failed',
            value: 'failed'
          },
          {
            name: 'Pending',
            value: 'pending'
          }
        ]
      },
      {
        displayName: 'Until',
        name: 'until',
        type: 'string',
        default: '',
        placeholder: '2026-01-31T12:00:00Z',
        description: 'ISO 8601: only entries up to this time'
      },
      {
        displayName: 'Webhook ID',
        name: 'webhook_id',
        type: 'string',
        default: ''
      }
    ]
  },
  {
    displayName: 'Watch for Seconds',
    name: 'seconds',
    type: 'number',
    displayOptions: {
      show: {
        resource: [
          'delivery'
        ],
        operation: [
          'getDeliveriesEvents'
        ]
      }
    },
    default: 30,
    typeOptions: {
      minValue: 1,
      maxValue: 280
    },
    description: 'How long to gather events, where the stream does not end before'
  },
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'delivery'
        ],
        operation: [
          'getDeliveriesEvents'
        ]
      }
    },
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'Endpoint ID',
        name: 'endpoint_id',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Event Type',
        name: 'event_type',
        type: 'options',
        default: 'incoming_message',
        options: [
          {
            name: 'Connection Status',
            value: 'connection_status'
          },
          {
            name: 'Incoming Message',
            value: 'incoming_message'
          },
          {
            name: 'Message Status',
            value: 'message_status'
          },
          {
            name: 'Other',
            value: 'other'
          },
          {
            name: 'Outbound Failure',
            value: 'outbound_failure'
          }
        ]
      },
      {
        displayName: 'Number Name or ID',
        name: 'session_id',
        type: 'options',
        default: '',
        typeOptions: {
          loadOptionsMethod: 'getSessions'
        },
        description: 'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'
      },
      {
        displayName: 'Since',
        name: 'since',
        type: 'string',
        default: '',
        placeholder: '2026-01-31T12:00:00Z',
        description: 'ISO 8601: only entries from this time on'
      },
      {
        displayName: 'Status',
        name: 'status',
        type: 'options',
        default: 'pending',
        options: [
          {
            name: 'Dead',
            value: 'dead'
          },
          {
            name: 'Delivered',
            value: 'delivered'
          },
          {
            name: 'Failed',
            value: 'failed'
          },
          {
            name: 'Pending',
            value: 'pending'
          }
        ]
      },
      {
        displayName: 'Until',
        name: 'until',
        type: 'string',
        default: '',
        placeholder: '2026-01-31T12:00:00Z',
        description: 'ISO 8601: only entries up to this time'
      },
      {
        displayName: 'Webhook ID',
        name: 'webhook_id',
        type: 'string',
        default: ''
      }
    ]
  },
  {
    displayName: 'Delivery ID',
    name: 'delivery_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'delivery'
        ],
        operation: [
          'getDeliveriesId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Delivery ID',
    name: 'delivery_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'delivery'
        ],
        operation: [
          'postDeliveriesIdResend'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Delivery ID',
    name: 'delivery_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'delivery'
        ],
        operation: [
          'postDeliveriesIdGiveUp'
        ]
      }
    },
    default: '',
    required: true
  }
]

// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const listenerFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'listener'
        ]
      }
    },
    options: [
      {
        name: 'Create',
        value: 'postListeners',
        description: 'Create a listener, for which the gateway keeps every event until you read it',
        action: 'Create a listener'
      },
      {
        name: 'Delete',
        value: 'deleteListenersId',
        description: 'Delete a listener and the events that only this listener still needs',
        action: 'Delete a listener'
      },
      {
        name: 'Read Events',
        value: 'getListenersIdEvents',
        description: 'Read the events after a cursor, oldest first',
        action: 'Read events'
      }
    ],
    default: 'postListeners'
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'listener'
        ],
        operation: [
          'postListeners'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Keep Hours',
        name: 'keep_hours',
        type: 'number',
        default: 1,
        typeOptions: {
          minValue: 1,
          maxValue: 168
        },
        description: 'After how many hours without a request the listener expires. Until then, the gateway keeps events for it.'
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
            name: 'Connection',
            value: 'connection'
          },
          {
            name: 'Message',
            value: 'message'
          },
          {
            name: 'Newsletter Message',
            value: 'newsletter_message'
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
        description: 'The kinds of events that you read; all by default. A listener of `typing` or `presence` makes numbers with `appear: auto` appear online.'
      }
    ]
  },
  {
    displayName: 'Listener ID',
    name: 'listener_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'listener'
        ],
        operation: [
          'getListenersIdEvents'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'After',
    name: 'after',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'listener'
        ],
        operation: [
          'getListenersIdEvents'
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
          'listener'
        ],
        operation: [
          'getListenersIdEvents'
        ]
      }
    },
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'Keep Hours',
        name: 'keep_hours',
        type: 'number',
        default: 1,
        typeOptions: {
          minValue: 1,
          maxValue: 168
        },
        description: 'After how many hours without a request the listener expires. Until then, the gateway keeps events for it.'
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
    displayName: 'Listener ID',
    name: 'listener_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'listener'
        ],
        operation: [
          'deleteListenersId'
        ]
      }
    },
    default: '',
    required: true
  }
]

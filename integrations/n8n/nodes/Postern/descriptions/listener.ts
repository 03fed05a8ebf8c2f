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
        description: 'Begin to listen: from now on every event of the account is kept until it has been read',
        action: 'Create a listener'
      },
      {
        name: 'Delete',
        value: 'deleteListenersId',
        description: 'Stop listening: what was kept for this listener alone is dropped',
        action: 'Delete a listener'
      },
      {
        name: 'Read Events',
        value: 'getListenersIdEvents',
        description: 'What has happened after a cursor, oldest first; waits for it',
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
        description: 'How long it may say nothing from now on: until then events are kept for it'
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
        description: 'How long it may say nothing from now on: until then events are kept for it'
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
        description: 'Seconds to wait where nothing has happened yet'
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

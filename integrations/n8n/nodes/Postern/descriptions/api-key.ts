// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const apiKeyFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'apiKey'
        ]
      }
    },
    options: [
      {
        name: 'Create',
        value: 'postKeys',
        description: 'Create an API key',
        action: 'Create an api key'
      },
      {
        name: 'Get Many',
        value: 'getKeys',
        description: 'List the active API keys',
        action: 'Get many api keys'
      },
      {
        name: 'Revoke',
        value: 'deleteKeysId',
        description: 'Revoke an API key permanently',
        action: 'Revoke an api key'
      }
    ],
    default: 'getKeys'
  },
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    displayOptions: {
      show: {
        resource: [
          'apiKey'
        ],
        operation: [
          'getKeys'
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
          'apiKey'
        ],
        operation: [
          'getKeys'
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
    displayName: 'Label',
    name: 'label',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'apiKey'
        ],
        operation: [
          'postKeys'
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
          'apiKey'
        ],
        operation: [
          'postKeys'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Scopes',
        name: 'scopes',
        type: 'multiOptions',
        default: [],
        options: [
          {
            name: 'Manage',
            value: 'manage'
          },
          {
            name: 'Read',
            value: 'read'
          },
          {
            name: 'Send',
            value: 'send'
          }
        ]
      },
      {
        displayName: 'Session IDs',
        name: 'session_ids',
        type: 'string',
        default: [],
        typeOptions: {
          multipleValues: true
        }
      }
    ]
  },
  {
    displayName: 'Key ID',
    name: 'key_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'apiKey'
        ],
        operation: [
          'deleteKeysId'
        ]
      }
    },
    default: '',
    required: true
  }
]

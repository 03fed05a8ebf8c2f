// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const accountFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'account'
        ]
      }
    },
    options: [
      {
        name: 'Accept Terms',
        value: 'postTosAccept',
        description: 'Accept the Terms of Service',
        action: 'Accept terms'
      },
      {
        name: 'Get',
        value: 'getMe',
        description: 'Get the account, your API key, the limits and the usage',
        action: 'Get an account'
      },
      {
        name: 'Get Terms',
        value: 'getTos',
        description: 'Get the current Terms of Service',
        action: 'Get terms'
      },
      {
        name: 'Get Usage',
        value: 'getUsage',
        description: 'Get the usage per day',
        action: 'Get usage'
      }
    ],
    default: 'getMe'
  },
  {
    displayName: 'Version',
    name: 'version',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'account'
        ],
        operation: [
          'postTosAccept'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The current label. See GET /v1/tos.'
  },
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'account'
        ],
        operation: [
          'getUsage'
        ]
      }
    },
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'From',
        name: 'from',
        type: 'string',
        default: '',
        description: 'A day in UTC, such as 2026-01-31'
      },
      {
        displayName: 'To',
        name: 'to',
        type: 'string',
        default: '',
        description: 'A day in UTC, such as 2026-01-31'
      }
    ]
  }
]

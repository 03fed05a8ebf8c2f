// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const personFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'person'
        ]
      }
    },
    options: [
      {
        name: 'Erase',
        value: 'postPeopleErase',
        description: 'Erase everything that the account stores about a person',
        action: 'Erase a person'
      },
      {
        name: 'Get Erasure',
        value: 'getPeopleEraseId',
        description: 'Get the state and the report of an erasure',
        action: 'Get erasure'
      }
    ],
    default: 'postPeopleErase'
  },
  {
    displayName: 'JID',
    name: 'jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'person'
        ],
        operation: [
          'postPeopleErase'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The person: a phone number, a JID with one, or a hidden identifier'
  },
  {
    displayName: 'Erasure ID',
    name: 'erasure_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'person'
        ],
        operation: [
          'getPeopleEraseId'
        ]
      }
    },
    default: '',
    required: true
  }
]

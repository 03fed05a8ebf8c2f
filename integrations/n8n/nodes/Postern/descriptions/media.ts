// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const mediaFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'media'
        ]
      }
    },
    options: [
      {
        name: 'Delete File',
        value: 'deleteMediaId',
        description: 'Delete a file',
        action: 'Delete file'
      }
    ],
    default: 'deleteMediaId'
  },
  {
    displayName: 'Media ID',
    name: 'media_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'media'
        ],
        operation: [
          'deleteMediaId'
        ]
      }
    },
    default: '',
    required: true
  }
]

// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const apiLogFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'apiLog'
        ]
      }
    },
    options: [
      {
        name: 'Get',
        value: 'getRequestsId',
        description: 'Get a request from the API log',
        action: 'Get an api log'
      },
      {
        name: 'Get Many',
        value: 'getRequests',
        description: 'List the requests in the API log, newest first',
        action: 'Get many entries of the api log'
      }
    ],
    default: 'getRequests'
  },
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    displayOptions: {
      show: {
        resource: [
          'apiLog'
        ],
        operation: [
          'getRequests'
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
          'apiLog'
        ],
        operation: [
          'getRequests'
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
          'apiLog'
        ],
        operation: [
          'getRequests'
        ]
      }
    },
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'Key ID',
        name: 'key_id',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Method',
        name: 'method',
        type: 'options',
        default: 'GET',
        options: [
          {
            name: 'Delete',
            value: 'DELETE'
          },
          {
            name: 'Get',
            value: 'GET'
          },
          {
            name: 'Patch',
            value: 'PATCH'
          },
          {
            name: 'Post',
            value: 'POST'
          },
          {
            name: 'Put',
            value: 'PUT'
          }
        ]
      },
      {
        displayName: 'Path',
        name: 'path',
        type: 'string',
        default: '',
        description: 'A substring of the path'
      },
      {
        displayName: 'Reads',
        name: 'reads',
        type: 'options',
        default: 'show',
        options: [
          {
            name: 'Hide',
            value: 'hide'
          },
          {
            name: 'Show',
            value: 'show'
          }
        ],
        description: '`hide` omits successful GET requests, such as those of programs that poll'
      },
      {
        displayName: 'Request ID',
        name: 'request_id',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Search',
        name: 'search',
        type: 'string',
        default: '',
        description: 'A substring of the request ID, the error or its code, or the status: `rate_limited`, `429`'
      },
      {
        displayName: 'Since',
        name: 'since',
        type: 'string',
        default: '',
        placeholder: '2026-01-31T12:00:00Z',
        description: 'ISO 8601: only requests from this time on'
      },
      {
        displayName: 'Status',
        name: 'status',
        type: 'options',
        default: '2xx',
        options: [
          {
            name: '2xx',
            value: '2xx'
          },
          {
            name: '4xx',
            value: '4xx'
          },
          {
            name: '5xx',
            value: '5xx'
          }
        ]
      },
      {
        displayName: 'Until',
        name: 'until',
        type: 'string',
        default: '',
        placeholder: '2026-01-31T12:00:00Z',
        description: 'ISO 8601: only requests up to this time'
      }
    ]
  },
  {
    displayName: 'Request ID',
    name: 'request_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'apiLog'
        ],
        operation: [
          'getRequestsId'
        ]
      }
    },
    default: '',
    required: true
  }
]

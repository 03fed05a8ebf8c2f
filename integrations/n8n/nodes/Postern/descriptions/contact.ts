// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const contactFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'contact'
        ]
      }
    },
    options: [
      {
        name: 'Block',
        value: 'putSessionsIdBlocksJid',
        description: 'Block a contact',
        action: 'Block a contact'
      },
      {
        name: 'Check',
        value: 'getSessionsIdContactsCheck',
        description: 'Check whether a phone number is on the platform',
        action: 'Check a contact'
      },
      {
        name: 'Check Many',
        value: 'postSessionsIdContactsCheck',
        description: 'Check which phone numbers are on the platform',
        action: 'Check many contacts'
      },
      {
        name: 'Get',
        value: 'getSessionsIdContactsJid',
        description: 'Get a contact',
        action: 'Get a contact'
      },
      {
        name: 'Get Blocked',
        value: 'getSessionsIdBlocks',
        description: 'List the contacts that a number has blocked',
        action: 'Get blocked'
      },
      {
        name: 'Get Picture',
        value: 'getSessionsIdContactsJidPicture',
        description: 'Get the picture of a contact',
        action: 'Get picture'
      },
      {
        name: 'Unblock',
        value: 'deleteSessionsIdBlocksJid',
        description: 'Unblock a contact',
        action: 'Unblock a contact'
      }
    ],
    default: 'getSessionsIdContactsCheck'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'contact'
        ],
        operation: [
          'getSessionsIdContactsCheck'
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
    displayName: 'Phone',
    name: 'phone',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'contact'
        ],
        operation: [
          'getSessionsIdContactsCheck'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'contact'
        ],
        operation: [
          'postSessionsIdContactsCheck'
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
    displayName: 'Phones',
    name: 'phones',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'contact'
        ],
        operation: [
          'postSessionsIdContactsCheck'
        ]
      }
    },
    default: [],
    typeOptions: {
      multipleValues: true
    },
    required: true,
    description: 'Phone numbers with their country codes'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'contact'
        ],
        operation: [
          'getSessionsIdContactsJid'
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
    displayName: 'Contact JID',
    name: 'contact_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'contact'
        ],
        operation: [
          'getSessionsIdContactsJid'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID or the phone number of the contact'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'contact'
        ],
        operation: [
          'getSessionsIdContactsJidPicture'
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
    displayName: 'Contact JID',
    name: 'contact_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'contact'
        ],
        operation: [
          'getSessionsIdContactsJidPicture'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID or the phone number of the contact'
  },
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'contact'
        ],
        operation: [
          'getSessionsIdContactsJidPicture'
        ]
      }
    },
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'Size',
        name: 'size',
        type: 'options',
        default: 'full',
        options: [
          {
            name: 'Full',
            value: 'full'
          },
          {
            name: 'Preview',
            value: 'preview'
          }
        ],
        description: '`preview` has about 96 pixels, `full` up to 640'
      }
    ]
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'contact'
        ],
        operation: [
          'getSessionsIdBlocks'
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
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    displayOptions: {
      show: {
        resource: [
          'contact'
        ],
        operation: [
          'getSessionsIdBlocks'
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
          'contact'
        ],
        operation: [
          'getSessionsIdBlocks'
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
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'contact'
        ],
        operation: [
          'putSessionsIdBlocksJid'
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
    displayName: 'Contact JID',
    name: 'contact_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'contact'
        ],
        operation: [
          'putSessionsIdBlocksJid'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID or the phone number of the contact'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'contact'
        ],
        operation: [
          'deleteSessionsIdBlocksJid'
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
    displayName: 'Contact JID',
    name: 'contact_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'contact'
        ],
        operation: [
          'deleteSessionsIdBlocksJid'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID or the phone number of the contact'
  }
]

// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const operatorFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'operator'
        ]
      }
    },
    options: [
      {
        name: 'Create Account',
        value: 'postOperatorAccounts',
        description: 'Create an account with its first API key',
        action: 'Create account'
      },
      {
        name: 'Create Key for Account',
        value: 'postOperatorAccountsIdKeys',
        description: 'Create an API key for an account, for example if it has lost its key',
        action: 'Create key for account'
      },
      {
        name: 'Create Sign-in Link',
        value: 'postOperatorSignInLinks',
        description: 'Create a sign-in link for the portal, valid once, for one hour',
        action: 'Create sign in link'
      },
      {
        name: 'Get Accounts',
        value: 'getOperatorAccounts',
        description: 'List the accounts',
        action: 'Get accounts'
      },
      {
        name: 'Get Overview',
        value: 'getOperatorOverview',
        description: 'Get the state of the gateway: nodes, leases, queues and dead letters',
        action: 'Get overview'
      },
      {
        name: 'Take Back',
        value: 'postOperatorSessionsIdTakeBack',
        description: 'Run a number here again that was moved away',
        action: 'Take back'
      },
      {
        name: 'Update Account',
        value: 'patchOperatorAccountsId',
        description: 'Change the name, the plan, limits or the sign-in of an account',
        action: 'Update account'
      }
    ],
    default: 'postOperatorAccounts'
  },
  {
    displayName: 'Name',
    name: 'name',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'operator'
        ],
        operation: [
          'postOperatorAccounts'
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
          'operator'
        ],
        operation: [
          'postOperatorAccounts'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Accept Terms',
        name: 'accept_tos',
        type: 'boolean',
        default: false,
        description: 'Whether the account accepts the current Terms now'
      },
      {
        displayName: 'Email',
        name: 'email',
        type: 'string',
        default: '',
        placeholder: 'name@email.com'
      },
      {
        displayName: 'Limits',
        name: 'limits',
        type: 'json',
        default: '{}',
        description: 'As JSON, which may have messages_per_second, messages_burst, messages_per_month, sessions, requests_per_second, requests_burst, account_requests_per_second, account_requests_burst, keys, sandbox_sessions, waiting_messages'
      },
      {
        displayName: 'Password',
        name: 'password',
        type: 'string',
        default: '',
        typeOptions: {
          password: true
        }
      },
      {
        displayName: 'Plan',
        name: 'plan',
        type: 'options',
        default: 'free',
        options: [
          {
            name: 'Free',
            value: 'free'
          },
          {
            name: 'Max',
            value: 'max'
          },
          {
            name: 'Pro',
            value: 'pro'
          }
        ]
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
          'operator'
        ],
        operation: [
          'getOperatorAccounts'
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
          'operator'
        ],
        operation: [
          'getOperatorAccounts'
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
    displayName: 'Account ID',
    name: 'account_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'operator'
        ],
        operation: [
          'patchOperatorAccountsId'
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
          'operator'
        ],
        operation: [
          'patchOperatorAccountsId'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Accept Terms',
        name: 'accept_tos',
        type: 'boolean',
        default: false,
        description: 'Whether to accept the current Terms for the account. false changes nothing'
      },
      {
        displayName: 'Email',
        name: 'email',
        type: 'string',
        default: '',
        placeholder: 'name@email.com'
      },
      {
        displayName: 'Limits',
        name: 'limits',
        type: 'json',
        default: '{}',
        description: 'As JSON, which may have messages_per_second, messages_burst, messages_per_month, sessions, requests_per_second, requests_burst, account_requests_per_second, account_requests_burst, keys, sandbox_sessions, waiting_messages'
      },
      {
        displayName: 'Name',
        name: 'name',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Password',
        name: 'password',
        type: 'string',
        default: '',
        typeOptions: {
          password: true
        }
      },
      {
        displayName: 'Plan',
        name: 'plan',
        type: 'options',
        default: 'free',
        options: [
          {
            name: 'Free',
            value: 'free'
          },
          {
            name: 'Max',
            value: 'max'
          },
          {
            name: 'Pro',
            value: 'pro'
          }
        ]
      }
    ]
  },
  {
    displayName: 'Account ID',
    name: 'account_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'operator'
        ],
        operation: [
          'postOperatorAccountsIdKeys'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Label',
    name: 'label',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'operator'
        ],
        operation: [
          'postOperatorAccountsIdKeys'
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
          'operator'
        ],
        operation: [
          'postOperatorAccountsIdKeys'
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
      }
    ]
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'operator'
        ],
        operation: [
          'postOperatorSignInLinks'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Account ID',
        name: 'account_id',
        type: 'string',
        default: ''
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
          'operator'
        ],
        operation: [
          'postOperatorSessionsIdTakeBack'
        ]
      }
    },
    default: '',
    typeOptions: {
      loadOptionsMethod: 'getSessions'
    },
    required: true,
    description: 'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'
  }
]

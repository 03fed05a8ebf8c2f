// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const pairingFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'pairing'
        ]
      }
    },
    options: [
      {
        name: 'Answer With Passkey',
        value: 'postPairingsIdPasskey',
        description: 'Submit the passkey signature for a pairing with the status passkey',
        action: 'Answer with passkey'
      },
      {
        name: 'Cancel',
        value: 'deletePairingsId',
        description: 'Cancel a pairing',
        action: 'Cancel a pairing'
      },
      {
        name: 'Confirm',
        value: 'postPairingsIdConfirm',
        description: 'Confirm that the phone shows the same code, for a pairing with the status confirm',
        action: 'Confirm a pairing'
      },
      {
        name: 'Create',
        value: 'postPairings',
        description: 'Link a number with a QR code or with a code that you type on the phone',
        action: 'Create a pairing'
      },
      {
        name: 'Get',
        value: 'getPairingsId',
        description: 'Get the state of a pairing',
        action: 'Get a pairing'
      },
      {
        name: 'Renew Code',
        value: 'postPairingsIdCode',
        description: 'Request a new code to type for a pairing',
        action: 'Renew code'
      },
      {
        name: 'Watch',
        value: 'getPairingsIdEvents',
        description: 'Follow a pairing as server-sent events until it ends',
        action: 'Watch a pairing'
      }
    ],
    default: 'postPairings'
  },
  {
    displayName: 'Method',
    name: 'method',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'pairing'
        ],
        operation: [
          'postPairings'
        ]
      }
    },
    default: 'qr',
    options: [
      {
        name: 'Code',
        value: 'code'
      },
      {
        name: 'Qr',
        value: 'qr'
      }
    ],
    required: true
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'pairing'
        ],
        operation: [
          'postPairings'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'History',
        name: 'history',
        type: 'boolean',
        default: false,
        description: 'Whether to set it: The messages that the phone sends after it is linked become events of kind message with `historic: true` at endpoints that include history: at most 10000, of the last 90 days'
      },
      {
        displayName: 'Label',
        name: 'label',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Phone',
        name: 'phone',
        type: 'string',
        default: '',
        description: 'The phone number with its country code. Required with the method code.'
      },
      {
        displayName: 'Platform',
        name: 'platform',
        type: 'options',
        default: 'whatsapp',
        options: [
          {
            name: 'Sandbox',
            value: 'sandbox'
          },
          {
            name: 'Whatsapp',
            value: 'whatsapp'
          }
        ]
      },
      {
        displayName: 'Proxy',
        name: 'proxy',
        type: 'json',
        default: '{"url":""}',
        description: 'Links the number through this proxy, which it keeps. Without it, a number that you name in `phone` is linked through the proxy that it has. As JSON.'
      }
    ]
  },
  {
    displayName: 'Pairing ID',
    name: 'pairing_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'pairing'
        ],
        operation: [
          'getPairingsId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Pairing ID',
    name: 'pairing_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'pairing'
        ],
        operation: [
          'deletePairingsId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Pairing ID',
    name: 'pairing_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'pairing'
        ],
        operation: [
          'getPairingsIdEvents'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Watch for Seconds',
    name: 'seconds',
    type: 'number',
    displayOptions: {
      show: {
        resource: [
          'pairing'
        ],
        operation: [
          'getPairingsIdEvents'
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
    displayName: 'Pairing ID',
    name: 'pairing_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'pairing'
        ],
        operation: [
          'postPairingsIdCode'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Pairing ID',
    name: 'pairing_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'pairing'
        ],
        operation: [
          'postPairingsIdPasskey'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'ID',
    name: 'id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'pairing'
        ],
        operation: [
          'postPairingsIdPasskey'
        ]
      }
    },
    default: '',
    required: true,
    description: 'Base64url without padding'
  },
  {
    displayName: 'Raw ID',
    name: 'rawId',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'pairing'
        ],
        operation: [
          'postPairingsIdPasskey'
        ]
      }
    },
    default: '',
    required: true,
    description: 'Base64url without padding'
  },
  {
    displayName: 'Type',
    name: 'type',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'pairing'
        ],
        operation: [
          'postPairingsIdPasskey'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Response',
    name: 'response',
    type: 'json',
    displayOptions: {
      show: {
        resource: [
          'pairing'
        ],
        operation: [
          'postPairingsIdPasskey'
        ]
      }
    },
    default: '{"clientDataJSON":"","authenticatorData":"","signature":""}',
    required: true,
    description: 'As JSON, which may have userHandle'
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'pairing'
        ],
        operation: [
          'postPairingsIdPasskey'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Authenticator Attachment',
        name: 'authenticatorAttachment',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Client Extension Results',
        name: 'clientExtensionResults',
        type: 'json',
        default: '{}',
        description: 'The gateway accepts it and ignores it. As JSON.'
      },
      {
        displayName: 'Compare Codes',
        name: 'compare_codes',
        type: 'boolean',
        default: false,
        description: 'Whether a person compares codes afterwards even if the platform does not require it'
      }
    ]
  },
  {
    displayName: 'Pairing ID',
    name: 'pairing_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'pairing'
        ],
        operation: [
          'postPairingsIdConfirm'
        ]
      }
    },
    default: '',
    required: true
  }
]

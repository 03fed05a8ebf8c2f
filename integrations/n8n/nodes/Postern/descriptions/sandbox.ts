// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const sandboxFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'sandbox'
        ]
      }
    },
    options: [
      {
        name: 'Do Action',
        value: 'postSandboxSessionsIdActions',
        description: 'Simulate an action around a sandbox number',
        action: 'Do action'
      },
      {
        name: 'Get Conditions',
        value: 'getSandboxSessionsIdConditions',
        description: 'Get the conditions of a sandbox number and of one of its contacts',
        action: 'Get conditions'
      },
      {
        name: 'Get Delivery Body',
        value: 'getSandboxDeliveriesId',
        description: 'Get the exact body of a delivery of a sandbox number',
        action: 'Get delivery body'
      },
      {
        name: 'Get Messages',
        value: 'getSandboxSessionsIdMessages',
        description: 'List the messages on the phones of a sandbox number’s contacts, newest first',
        action: 'Get messages'
      },
      {
        name: 'Keep Full Payloads',
        value: 'postSandboxSessionsIdWatch',
        description: 'Store the full webhook bodies of a sandbox number for the next minute',
        action: 'Keep full payloads'
      },
      {
        name: 'Receive Message',
        value: 'postSandboxSessionsIdIncoming',
        description: 'Send a message from a contact to a sandbox number',
        action: 'Receive message'
      },
      {
        name: 'Scan Pairing',
        value: 'postSandboxPairingsIdScan',
        description: 'Scan the QR code of a pairing with the sandbox phone, or type its code',
        action: 'Scan pairing'
      },
      {
        name: 'Use Passkey',
        value: 'postSandboxPairingsIdPasskey',
        description: 'Sign the passkey request of a pairing in the sandbox, or get the code to compare',
        action: 'Use passkey'
      }
    ],
    default: 'postSandboxSessionsIdIncoming'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'sandbox'
        ],
        operation: [
          'postSandboxSessionsIdIncoming'
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
    displayName: 'From',
    name: 'from',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'sandbox'
        ],
        operation: [
          'postSandboxSessionsIdIncoming'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The contact: any digits or a JID'
  },
  {
    displayName: 'Type',
    name: 'type',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'sandbox'
        ],
        operation: [
          'postSandboxSessionsIdIncoming'
        ]
      }
    },
    default: 'text',
    options: [
      {
        name: 'Audio',
        value: 'audio'
      },
      {
        name: 'Button Response',
        value: 'button_response'
      },
      {
        name: 'Contact',
        value: 'contact'
      },
      {
        name: 'Document',
        value: 'document'
      },
      {
        name: 'Edit',
        value: 'edit'
      },
      {
        name: 'Image',
        value: 'image'
      },
      {
        name: 'Location',
        value: 'location'
      },
      {
        name: 'Other',
        value: 'other'
      },
      {
        name: 'Poll',
        value: 'poll'
      },
      {
        name: 'Reaction',
        value: 'reaction'
      },
      {
        name: 'Revoke',
        value: 'revoke'
      },
      {
        name: 'Sticker',
        value: 'sticker'
      },
      {
        name: 'Text',
        value: 'text'
      },
      {
        name: 'Video',
        value: 'video'
      },
      {
        name: 'Voice',
        value: 'voice'
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
          'sandbox'
        ],
        operation: [
          'postSandboxSessionsIdIncoming'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Broadcast',
        name: 'broadcast',
        type: 'boolean',
        default: false,
        description: 'Whether the contact posts a Status instead of a message'
      },
      {
        displayName: 'Button Response',
        name: 'button_response',
        type: 'json',
        default: '{}',
        description: 'As JSON, which may have selected_id, selected_text, params_json, text'
      },
      {
        displayName: 'Edited Message ID',
        name: 'edited_message_id',
        type: 'string',
        default: ''
      },
      {
        displayName: 'From Name',
        name: 'from_name',
        type: 'string',
        default: '',
        description: 'The name that the contact shows'
      },
      {
        displayName: 'Group',
        name: 'group',
        type: 'string',
        default: '',
        description: 'The JID of a group of the number, or a name. The sandbox creates a group of that name if there is none.'
      },
      {
        displayName: 'Location',
        name: 'location',
        type: 'json',
        default: '{"latitude":0,"longitude":0}',
        description: 'As JSON, which may have name, address'
      },
      {
        displayName: 'Media',
        name: 'media',
        type: 'json',
        default: '{}',
        description: 'As JSON, which may have mimetype, filename, data, size'
      },
      {
        displayName: 'Poll',
        name: 'poll',
        type: 'json',
        default: '{"name":"","options":[]}',
        description: 'As JSON, which may have selectable_count'
      },
      {
        displayName: 'Quoted Message ID',
        name: 'quoted_message_id',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Reacted Message ID',
        name: 'reacted_message_id',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Revoked Message ID',
        name: 'revoked_message_id',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Text',
        name: 'text',
        type: 'string',
        default: ''
      },
      {
        displayName: 'View Once',
        name: 'view_once',
        type: 'boolean',
        default: false,
        description: 'Whether to set view once'
      },
      {
        displayName: 'Withheld',
        name: 'withheld',
        type: 'options',
        default: 'plain',
        options: [
          {
            name: 'Bot',
            value: 'bot'
          },
          {
            name: 'Hosted',
            value: 'hosted'
          },
          {
            name: 'Plain',
            value: 'plain'
          },
          {
            name: 'View Once',
            value: 'view_once'
          }
        ],
        description: 'The gateway receives a placeholder for the message. The phone of the number has the original, and the gateway can request it.'
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
          'sandbox'
        ],
        operation: [
          'postSandboxSessionsIdActions'
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
    displayName: 'Action',
    name: 'action',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'sandbox'
        ],
        operation: [
          'postSandboxSessionsIdActions'
        ]
      }
    },
    default: 'read',
    options: [
      {
        name: 'Call',
        value: 'call',
        action: 'Call'
      },
      {
        name: 'Drop',
        value: 'drop',
        action: 'Drop'
      },
      {
        name: 'Fail Next',
        value: 'fail_next',
        action: 'Fail next'
      },
      {
        name: 'Log Out',
        value: 'log_out',
        action: 'Log out'
      },
      {
        name: 'Lose Device',
        value: 'lose_device',
        action: 'Lose device'
      },
      {
        name: 'New Phone',
        value: 'new_phone',
        action: 'New phone'
      },
      {
        name: 'Newsletter Post',
        value: 'newsletter_post',
        action: 'Newsletter post'
      },
      {
        name: 'Order',
        value: 'order',
        action: 'Order'
      },
      {
        name: 'Outdate',
        value: 'outdate',
        action: 'Outdate'
      },
      {
        name: 'Play',
        value: 'play',
        action: 'Play'
      },
      {
        name: 'Presence',
        value: 'presence',
        action: 'Presence'
      },
      {
        name: 'Profile',
        value: 'profile',
        action: 'Profile'
      },
      {
        name: 'Read',
        value: 'read',
        action: 'Read'
      },
      {
        name: 'Read Receipts',
        value: 'read_receipts',
        action: 'Read receipts'
      },
      {
        name: 'Typing',
        value: 'typing',
        action: 'Typing'
      },
      {
        name: 'Vote',
        value: 'vote',
        action: 'Vote'
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
          'sandbox'
        ],
        operation: [
          'postSandboxSessionsIdActions'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'About',
        name: 'about',
        type: 'string',
        default: '',
        description: 'Profile: the about of the contact. Empty removes it.'
      },
      {
        displayName: 'Ack',
        name: 'ack',
        type: 'options',
        default: 'withheld',
        options: [
          {
            name: 'Rejected',
            value: 'rejected'
          },
          {
            name: 'Slow',
            value: 'slow'
          },
          {
            name: 'Withheld',
            value: 'withheld'
          }
        ],
        description: 'Fail_next: what happens to the acknowledgement. The default is withheld.'
      },
      {
        displayName: 'Call ID',
        name: 'call_id',
        type: 'string',
        default: '',
        description: 'Call: the ID of the call that terminates'
      },
      {
        displayName: 'Code',
        name: 'code',
        type: 'number',
        default: 400,
        typeOptions: {
          minValue: 400,
          maxValue: 599
        },
        description: 'Fail_next: the error code of a rejection'
      },
      {
        displayName: 'Enabled',
        name: 'enabled',
        type: 'boolean',
        default: false,
        description: 'Whether to set it: read_receipts: whether the contact reads the messages that it receives. The default is true.'
      },
      {
        displayName: 'Event',
        name: 'event',
        type: 'options',
        default: 'offer',
        options: [
          {
            name: 'Offer',
            value: 'offer'
          },
          {
            name: 'Terminate',
            value: 'terminate'
          }
        ],
        description: 'Call: the default is offer'
      },
      {
        displayName: 'From',
        name: 'from',
        type: 'string',
        default: '',
        description: 'The contact: any digits or a JID'
      },
      {
        displayName: 'Group',
        name: 'group',
        type: 'string',
        default: '',
        description: 'The JID of a group of the number, or a name. The sandbox creates a group of that name if there is none.'
      },
      {
        displayName: 'Hidden',
        name: 'hidden',
        type: 'multiOptions',
        default: [],
        options: [
          {
            name: 'About',
            value: 'about'
          },
          {
            name: 'Picture',
            value: 'picture'
          }
        ],
        description: 'Profile: what the contact hides from the number'
      },
      {
        displayName: 'Last Seen Unix',
        name: 'last_seen_unix',
        type: 'number',
        default: 0,
        typeOptions: {
          minValue: 0
        },
        description: 'Presence: when the contact was last online. null hides it'
      },
      {
        displayName: 'Managed',
        name: 'managed',
        type: 'boolean',
        default: false,
        description: 'Whether to set it: newsletter_post: whether the number manages the channel'
      },
      {
        displayName: 'Media',
        name: 'media',
        type: 'options',
        default: 'text',
        options: [
          {
            name: 'Audio',
            value: 'audio'
          },
          {
            name: 'Text',
            value: 'text'
          }
        ],
        description: 'Typing: audio shows that the contact records a voice message'
      },
      {
        displayName: 'Message ID',
        name: 'message_id',
        type: 'string',
        default: '',
        description: 'Read, play: the message. vote: the poll'
      },
      {
        displayName: 'Name',
        name: 'name',
        type: 'string',
        default: '',
        description: 'Newsletter_post: the name of the channel. The sandbox creates the channel if there is none. profile: the name of the contact.'
      },
      {
        displayName: 'Newsletter',
        name: 'newsletter',
        type: 'string',
        default: '',
        description: 'Newsletter_post: a channel that the number follows or manages'
      },
      {
        displayName: 'Online',
        name: 'online',
        type: 'boolean',
        default: false,
        description: 'Whether to set it: presence: whether the contact is online. The default is true.'
      },
      {
        displayName: 'Options',
        name: 'options',
        type: 'string',
        default: [],
        typeOptions: {
          multipleValues: true
        },
        description: 'Vote: the texts of the chosen options. An empty list withdraws the vote.'
      },
      {
        displayName: 'Picture',
        name: 'picture',
        type: 'string',
        default: '',
        description: 'Profile: the picture of the contact, a JPEG in base64. Empty removes it.'
      },
      {
        displayName: 'Reason',
        name: 'reason',
        type: 'string',
        default: '',
        description: 'Call: why the call terminates'
      },
      {
        displayName: 'Seconds',
        name: 'seconds',
        type: 'number',
        default: 0,
        typeOptions: {
          minValue: 0,
          maxValue: 3600
        },
        description: 'Drop: how long logins fail. fail_next: the delay of a slow acknowledgement'
      },
      {
        displayName: 'Text',
        name: 'text',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Times',
        name: 'times',
        type: 'number',
        default: 1,
        typeOptions: {
          minValue: 1,
          maxValue: 1000
        },
        description: 'Fail_next: how many messages it affects'
      },
      {
        displayName: 'Typing',
        name: 'typing',
        type: 'boolean',
        default: false,
        description: 'Whether to set it: typing: false stops the indicator'
      },
      {
        displayName: 'Video',
        name: 'video',
        type: 'boolean',
        default: false,
        description: 'Whether to set it: call: whether it is a video call'
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
          'sandbox'
        ],
        operation: [
          'getSandboxSessionsIdMessages'
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
          'sandbox'
        ],
        operation: [
          'getSandboxSessionsIdMessages'
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
          'sandbox'
        ],
        operation: [
          'getSandboxSessionsIdMessages'
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
          'sandbox'
        ],
        operation: [
          'getSandboxSessionsIdMessages'
        ]
      }
    },
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'Contact',
        name: 'contact',
        type: 'string',
        default: '',
        description: 'Only messages on the phone of this contact'
      },
      {
        displayName: 'Include Media',
        name: 'include_media',
        type: 'boolean',
        default: false,
        description: 'Whether the response has the decrypted files, newest first, up to 1 MiB each and 2 MiB together'
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
          'sandbox'
        ],
        operation: [
          'postSandboxPairingsIdScan'
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
          'sandbox'
        ],
        operation: [
          'postSandboxPairingsIdPasskey'
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
          'sandbox'
        ],
        operation: [
          'getSandboxSessionsIdConditions'
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
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'sandbox'
        ],
        operation: [
          'getSandboxSessionsIdConditions'
        ]
      }
    },
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'Contact',
        name: 'contact',
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
          'sandbox'
        ],
        operation: [
          'postSandboxSessionsIdWatch'
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
    displayName: 'Delivery ID',
    name: 'delivery_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'sandbox'
        ],
        operation: [
          'getSandboxDeliveriesId'
        ]
      }
    },
    default: '',
    required: true
  }
]

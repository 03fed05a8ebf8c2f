// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const numberFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'number'
        ]
      }
    },
    options: [
      {
        name: 'Communities',
        value: 'postSessionsIdCommunities',
        description: 'Create a community',
        action: 'Communities a number'
      },
      {
        name: 'Create Call Link',
        value: 'postSessionsIdCallsLinks',
        description: 'Create a link to a call',
        action: 'Create call link'
      },
      {
        name: 'Create Sandbox Number',
        value: 'postSessions',
        description: 'Create a sandbox number, which is linked and connected immediately',
        action: 'Create sandbox number'
      },
      {
        name: 'Delete',
        value: 'deleteSessionsIdCommunitiesJidGroupsGroup',
        description: 'Unlink a group from a community',
        action: 'Delete a number'
      },
      {
        name: 'Find People',
        value: 'postSessionsIdPeople',
        description: 'Find the phone numbers of hidden identifiers, and the reverse',
        action: 'Find people'
      },
      {
        name: 'Get',
        value: 'getSessionsId',
        description: 'Get a number',
        action: 'Get a number'
      },
      {
        name: 'Get Health',
        value: 'getSessionsIdHealth',
        description: 'Get the health of a number',
        action: 'Get health'
      },
      {
        name: 'Get History Request',
        value: 'getSessionsIdHistoryJob',
        description: 'Get a request for older messages',
        action: 'Get history request'
      },
      {
        name: 'Get Many',
        value: 'getSessions',
        description: 'List the linked numbers with their current state',
        action: 'Get many numbers'
      },
      {
        name: 'Get Many',
        value: 'getSessionsIdCommunities',
        description: 'List the communities that a number is in',
        action: 'Get many numbers'
      },
      {
        name: 'Get Many',
        value: 'getSessionsIdCommunitiesJidGroups',
        description: 'List the groups of a community',
        action: 'Get many numbers'
      },
      {
        name: 'Get Order',
        value: 'postSessionsIdOrders',
        description: 'Get what a person has ordered',
        action: 'Get order'
      },
      {
        name: 'Get Privacy',
        value: 'getSessionsIdPrivacy',
        description: 'Get the privacy settings of a number',
        action: 'Get privacy'
      },
      {
        name: 'Get Product Collections',
        value: 'getSessionsIdCatalogCollections',
        description: 'List the collections of a business',
        action: 'Get product collections'
      },
      {
        name: 'Get Products',
        value: 'getSessionsIdCatalog',
        description: 'List the products of a business',
        action: 'Get products'
      },
      {
        name: 'Get Profile',
        value: 'getSessionsIdProfile',
        description: 'Get the profile of a number',
        action: 'Get profile'
      },
      {
        name: 'Get Proxy',
        value: 'getSessionsIdProxy',
        description: 'Get the proxy of a number',
        action: 'Get proxy'
      },
      {
        name: 'Leave',
        value: 'postSessionsIdCommunitiesJidLeave',
        description: 'Leave a community with all its groups',
        action: 'Leave a number'
      },
      {
        name: 'Mark as Read',
        value: 'postSessionsIdRead',
        description: 'Mark messages as read',
        action: 'Mark as read'
      },
      {
        name: 'React to Channel Post',
        value: 'postSessionsIdNewslettersNlReact',
        description: 'React to a post of a channel',
        action: 'React to channel post'
      },
      {
        name: 'Reject Call',
        value: 'postSessionsIdCallsCallIdReject',
        description: 'Reject a call that is ringing',
        action: 'Reject call'
      },
      {
        name: 'Reject Calls',
        value: 'postSessionsIdCallsAutoReject',
        description: 'Reject incoming calls automatically, with an optional message to the caller',
        action: 'Reject calls'
      },
      {
        name: 'Remove Profile Picture',
        value: 'deleteSessionsIdProfilePicture',
        description: 'Remove the picture of a number',
        action: 'Remove profile picture'
      },
      {
        name: 'Remove Proxy',
        value: 'deleteSessionsIdProxy',
        description: 'Let a number reach the platform without its proxy',
        action: 'Remove proxy'
      },
      {
        name: 'Restart',
        value: 'postSessionsIdRestart',
        description: 'Reconnect a number',
        action: 'Restart a number'
      },
      {
        name: 'Set Profile Picture',
        value: 'putSessionsIdProfilePicture',
        description: 'Set the picture of a number',
        action: 'Set profile picture'
      },
      {
        name: 'Set Proxy',
        value: 'putSessionsIdProxy',
        description: 'Let a number reach the platform through a proxy',
        action: 'Set proxy'
      },
      {
        name: 'Show Typing',
        value: 'postSessionsIdTyping',
        description: 'Start or stop the typing or recording indicator in a chat',
        action: 'Show typing'
      },
      {
        name: 'Subscribe to Presence',
        value: 'postSessionsIdPresenceSubscribe',
        description: 'Subscribe to the presence of a contact',
        action: 'Subscribe to presence'
      },
      {
        name: 'Test Proxy',
        value: 'postSessionsIdProxyTest',
        description: 'Test the proxy of a number',
        action: 'Test proxy'
      },
      {
        name: 'Unlink',
        value: 'deleteSessionsId',
        description: 'Unlink the device and delete its credentials',
        action: 'Unlink a number'
      },
      {
        name: 'Update',
        value: 'patchSessionsId',
        description: 'Rename a number, change how it sends and appears, or pause it',
        action: 'Update a number'
      },
      {
        name: 'Update',
        value: 'putSessionsIdCommunitiesJidGroupsGroup',
        description: 'Link a group to a community',
        action: 'Update a number'
      },
      {
        name: 'Update Privacy',
        value: 'patchSessionsIdPrivacy',
        description: 'Change the privacy settings of a number',
        action: 'Update privacy'
      },
      {
        name: 'Update Profile',
        value: 'patchSessionsIdProfile',
        description: 'Change the name and the about of a number',
        action: 'Update profile'
      }
    ],
    default: 'getSessions'
  },
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'getSessions'
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
          'number'
        ],
        operation: [
          'getSessions'
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
    displayName: 'Platform',
    name: 'platform',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessions'
        ]
      }
    },
    default: 'sandbox',
    options: [
      {
        name: 'Sandbox',
        value: 'sandbox'
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
          'number'
        ],
        operation: [
          'postSessions'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
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
        description: 'A number that begins with 999. The gateway chooses one if you give none.'
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
          'number'
        ],
        operation: [
          'getSessionsId'
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
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'patchSessionsId'
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
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'patchSessionsId'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Addressing',
        name: 'addressing',
        type: 'options',
        default: 'auto',
        options: [
          {
            name: 'Auto',
            value: 'auto'
          },
          {
            name: 'Lid',
            value: 'lid'
          },
          {
            name: 'Pn',
            value: 'pn'
          }
        ],
        description: 'How direct messages address people. `auto` uses the hidden identifier if there is one, `lid` uses only that, and `pn` uses the phone number if the gateway knows it'
      },
      {
        displayName: 'Appear',
        name: 'appear',
        type: 'options',
        default: 'auto',
        options: [
          {
            name: 'Auto',
            value: 'auto'
          },
          {
            name: 'Offline',
            value: 'offline'
          },
          {
            name: 'Online',
            value: 'online'
          }
        ],
        description: 'Whether contacts see the number online. While they do, the phone of the number shows no notifications. `auto` is online only while a webhook with an `events_url`, a listener of typing or presence, or a presence subscription needs it, and while the number shows that it is typing. An `offline` number receives no typing and presence events.'
      },
      {
        displayName: 'Label',
        name: 'label',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Pace',
        name: 'pace',
        type: 'json',
        default: '{}',
        description: 'How the number paces its messages. It replaces the whole pace: a rule that you leave out does not apply. `null` sends as fast as the platform accepts messages. Messages that wait show `held_until` and `held_because`. As JSON, which may have min_ms, max_ms, new_per_day, ramp_days, quiet.'
      },
      {
        displayName: 'Pace Ms',
        name: 'pace_ms',
        type: 'number',
        default: 0,
        typeOptions: {
          minValue: 0,
          maxValue: 600000
        },
        description: 'The pause between two messages of this number, in milliseconds. The same as `pace` with this `min_ms` and `max_ms`; its other rules stay.'
      },
      {
        displayName: 'Paused',
        name: 'paused',
        type: 'boolean',
        default: false,
        description: 'Whether the number is stopped. It stays linked and does not connect until you set this to `false`, also after a restart of the gateway. New messages are rejected with 409 meanwhile, and the platform keeps what people write.'
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
          'number'
        ],
        operation: [
          'deleteSessionsId'
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
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdCallsAutoReject'
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
    displayName: 'Enabled',
    name: 'enabled',
    type: 'boolean',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdCallsAutoReject'
        ]
      }
    },
    default: false,
    required: true,
    description: 'Whether to set enabled'
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdCallsAutoReject'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Message',
        name: 'message',
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
          'number'
        ],
        operation: [
          'postSessionsIdRestart'
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
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdPresenceSubscribe'
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
          'number'
        ],
        operation: [
          'postSessionsIdPresenceSubscribe'
        ]
      }
    },
    default: '',
    required: true,
    description: 'A JID or a phone number'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdNewslettersNlReact'
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
    displayName: 'Newsletter ID',
    name: 'newsletter_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdNewslettersNlReact'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Server ID',
    name: 'server_id',
    type: 'number',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdNewslettersNlReact'
        ]
      }
    },
    default: 1,
    typeOptions: {
      minValue: 1,
      maxValue: 9007199254740991
    },
    required: true
  },
  {
    displayName: 'Message ID',
    name: 'message_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdNewslettersNlReact'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Emoji',
    name: 'emoji',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdNewslettersNlReact'
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
          'number'
        ],
        operation: [
          'postSessionsIdTyping'
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
    displayName: 'Chat JID',
    name: 'chat_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdTyping'
        ]
      }
    },
    default: '',
    required: true,
    description: 'A JID or a phone number'
  },
  {
    displayName: 'Typing',
    name: 'typing',
    type: 'boolean',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdTyping'
        ]
      }
    },
    default: false,
    required: true,
    description: 'Whether to set typing'
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdTyping'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
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
        ]
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
          'number'
        ],
        operation: [
          'postSessionsIdRead'
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
    displayName: 'Chat JID',
    name: 'chat_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdRead'
        ]
      }
    },
    default: '',
    required: true,
    description: 'A JID or a phone number'
  },
  {
    displayName: 'Message IDs',
    name: 'message_ids',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdRead'
        ]
      }
    },
    default: [],
    typeOptions: {
      multipleValues: true
    },
    required: true
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'getSessionsIdHistoryJob'
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
    displayName: 'Job',
    name: 'job',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'getSessionsIdHistoryJob'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The ID of the request'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'getSessionsIdPrivacy'
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
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'patchSessionsIdPrivacy'
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
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'patchSessionsIdPrivacy'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'About',
        name: 'about',
        type: 'options',
        default: 'all',
        options: [
          {
            name: 'All',
            value: 'all'
          },
          {
            name: 'Contacts',
            value: 'contacts'
          },
          {
            name: 'Contacts Except',
            value: 'contacts_except'
          },
          {
            name: 'None',
            value: 'none'
          }
        ],
        description: 'Who sees the about'
      },
      {
        displayName: 'Call Add',
        name: 'call_add',
        type: 'options',
        default: 'all',
        options: [
          {
            name: 'All',
            value: 'all'
          },
          {
            name: 'Known',
            value: 'known'
          }
        ],
        description: 'Whose calls ring: those of all people, or only of people that the number knows'
      },
      {
        displayName: 'Group Add',
        name: 'group_add',
        type: 'options',
        default: 'all',
        options: [
          {
            name: 'All',
            value: 'all'
          },
          {
            name: 'Contacts',
            value: 'contacts'
          },
          {
            name: 'Contacts Except',
            value: 'contacts_except'
          }
        ],
        description: 'Who may add the number to groups'
      },
      {
        displayName: 'Last Seen',
        name: 'last_seen',
        type: 'options',
        default: 'all',
        options: [
          {
            name: 'All',
            value: 'all'
          },
          {
            name: 'Contacts',
            value: 'contacts'
          },
          {
            name: 'Contacts Except',
            value: 'contacts_except'
          },
          {
            name: 'None',
            value: 'none'
          }
        ],
        description: 'Who sees when the number was last online'
      },
      {
        displayName: 'Messages',
        name: 'messages',
        type: 'options',
        default: 'all',
        options: [
          {
            name: 'All',
            value: 'all'
          },
          {
            name: 'Contacts',
            value: 'contacts'
          }
        ],
        description: 'Who may write to the number'
      },
      {
        displayName: 'Online',
        name: 'online',
        type: 'options',
        default: 'all',
        options: [
          {
            name: 'All',
            value: 'all'
          },
          {
            name: 'Match Last Seen',
            value: 'match_last_seen'
          }
        ],
        description: 'Who sees that the number is online'
      },
      {
        displayName: 'Picture',
        name: 'picture',
        type: 'options',
        default: 'all',
        options: [
          {
            name: 'All',
            value: 'all'
          },
          {
            name: 'Contacts',
            value: 'contacts'
          },
          {
            name: 'Contacts Except',
            value: 'contacts_except'
          },
          {
            name: 'None',
            value: 'none'
          }
        ],
        description: 'Who sees the picture'
      },
      {
        displayName: 'Read Receipts',
        name: 'read_receipts',
        type: 'options',
        default: 'all',
        options: [
          {
            name: 'All',
            value: 'all'
          },
          {
            name: 'None',
            value: 'none'
          }
        ],
        description: 'Whether people see that their messages were read'
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
          'number'
        ],
        operation: [
          'getSessionsIdProfile'
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
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'patchSessionsIdProfile'
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
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'patchSessionsIdProfile'
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
        description: 'Empty removes it'
      },
      {
        displayName: 'Name',
        name: 'name',
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
          'number'
        ],
        operation: [
          'putSessionsIdProfilePicture'
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
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'putSessionsIdProfilePicture'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Media ID',
        name: 'media_id',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Media URL',
        name: 'media_url',
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
          'number'
        ],
        operation: [
          'deleteSessionsIdProfilePicture'
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
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdCallsCallIdReject'
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
    displayName: 'Call ID',
    name: 'call_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdCallsCallIdReject'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The ID of the call'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdCallsLinks'
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
    displayName: 'Media',
    name: 'media',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdCallsLinks'
        ]
      }
    },
    default: 'audio',
    options: [
      {
        name: 'Audio',
        value: 'audio'
      },
      {
        name: 'Video',
        value: 'video'
      }
    ],
    required: true
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'getSessionsIdCatalog'
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
          'number'
        ],
        operation: [
          'getSessionsIdCatalog'
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
          'number'
        ],
        operation: [
          'getSessionsIdCatalog'
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
          'number'
        ],
        operation: [
          'getSessionsIdCatalog'
        ]
      }
    },
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'JID',
        name: 'jid',
        type: 'string',
        default: '',
        description: 'The JID or the phone number of the business; the number itself if it is missing'
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
          'number'
        ],
        operation: [
          'getSessionsIdCatalogCollections'
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
          'number'
        ],
        operation: [
          'getSessionsIdCatalogCollections'
        ]
      }
    },
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'JID',
        name: 'jid',
        type: 'string',
        default: '',
        description: 'The JID or the phone number of the business; the number itself if it is missing'
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
          'number'
        ],
        operation: [
          'postSessionsIdOrders'
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
    displayName: 'Order ID',
    name: 'order_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdOrders'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Token',
    name: 'token',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdOrders'
        ]
      }
    },
    default: '',
    typeOptions: {
      password: true
    },
    required: true
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'getSessionsIdProxy'
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
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'putSessionsIdProxy'
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
    displayName: 'URL',
    name: 'url',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'putSessionsIdProxy'
        ]
      }
    },
    default: '',
    required: true,
    description: 'A SOCKS5 proxy (`socks5`, or `socks5h` for the same), or an HTTP proxy that allows CONNECT (`http`, or `https` with TLS to the proxy). The proxy resolves the names of the platform. It must be at a public address, or at one of `POSTERN_ALLOWED_TARGETS`.'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'deleteSessionsIdProxy'
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
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdProxyTest'
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
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdPeople'
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
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdPeople'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Jids',
        name: 'jids',
        type: 'string',
        default: [],
        typeOptions: {
          multipleValues: true
        },
        description: 'Up to 100 JIDs of people: hidden identifiers or phone numbers. Give either this or `phones`.'
      },
      {
        displayName: 'Phones',
        name: 'phones',
        type: 'string',
        default: [],
        typeOptions: {
          multipleValues: true
        },
        description: 'Up to 100 phone numbers'
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
          'number'
        ],
        operation: [
          'getSessionsIdHealth'
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
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'getSessionsIdCommunities'
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
          'number'
        ],
        operation: [
          'getSessionsIdCommunities'
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
          'number'
        ],
        operation: [
          'getSessionsIdCommunities'
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
          'number'
        ],
        operation: [
          'postSessionsIdCommunities'
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
    displayName: 'Subject',
    name: 'subject',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdCommunities'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Idempotency Key',
    name: 'idempotencyKey',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdCommunities'
        ]
      }
    },
    default: '',
    placeholder: 'order-1001-shipped',
    description: 'The same key never sends a second message. Empty: one of this execution, node and item, so that a retry of n8n sends nothing twice.'
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdCommunities'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Description',
        name: 'description',
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
          'number'
        ],
        operation: [
          'getSessionsIdCommunitiesJidGroups'
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
    displayName: 'Group JID',
    name: 'group_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'getSessionsIdCommunitiesJidGroups'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the community'
  },
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'getSessionsIdCommunitiesJidGroups'
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
          'number'
        ],
        operation: [
          'getSessionsIdCommunitiesJidGroups'
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
          'number'
        ],
        operation: [
          'putSessionsIdCommunitiesJidGroupsGroup'
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
    displayName: 'Group JID',
    name: 'group_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'putSessionsIdCommunitiesJidGroupsGroup'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the community'
  },
  {
    displayName: 'Group',
    name: 'group',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'putSessionsIdCommunitiesJidGroupsGroup'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the group'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'deleteSessionsIdCommunitiesJidGroupsGroup'
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
    displayName: 'Group JID',
    name: 'group_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'deleteSessionsIdCommunitiesJidGroupsGroup'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the community'
  },
  {
    displayName: 'Group',
    name: 'group',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'deleteSessionsIdCommunitiesJidGroupsGroup'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the group'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdCommunitiesJidLeave'
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
    displayName: 'Group JID',
    name: 'group_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'number'
        ],
        operation: [
          'postSessionsIdCommunitiesJidLeave'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the community'
  }
]

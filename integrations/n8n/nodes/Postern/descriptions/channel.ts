// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const channelFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'channel'
        ]
      }
    },
    options: [
      {
        name: 'Accept',
        value: 'postSessionsIdNewslettersNlAccept',
        description: 'Accept the invitation to manage a channel',
        action: 'Accept a channel'
      },
      {
        name: 'Create',
        value: 'postSessionsIdNewsletters',
        description: 'Create a channel',
        action: 'Create a channel'
      },
      {
        name: 'Delete',
        value: 'deleteSessionsIdNewslettersNl',
        description: 'Delete a channel',
        action: 'Delete a channel'
      },
      {
        name: 'Delete',
        value: 'deleteSessionsIdNewslettersNlAdminsJidInvite',
        description: 'Revoke the invitation of a person to manage a channel',
        action: 'Delete a channel'
      },
      {
        name: 'Demote Admin',
        value: 'deleteSessionsIdNewslettersNlAdminsJid',
        description: 'Make an admin of a channel a follower again',
        action: 'Demote admin'
      },
      {
        name: 'Find by Link',
        value: 'postSessionsIdNewslettersPreview',
        description: 'Find a channel by its link',
        action: 'Find by link'
      },
      {
        name: 'Follow',
        value: 'putSessionsIdNewslettersNlFollow',
        description: 'Follow a channel',
        action: 'Follow a channel'
      },
      {
        name: 'Get',
        value: 'getSessionsIdNewslettersNl',
        description: 'Get a channel',
        action: 'Get a channel'
      },
      {
        name: 'Get Followers',
        value: 'getSessionsIdNewslettersNlFollowers',
        description: 'List the newest followers and the admins of a channel',
        action: 'Get followers'
      },
      {
        name: 'Get Many',
        value: 'getSessionsIdNewsletters',
        description: 'List the channels that a number follows or manages',
        action: 'Get many channels'
      },
      {
        name: 'Get Many',
        value: 'getSessionsIdNewslettersNlAdmins',
        description: 'List the owner, the admins and the invited admins of a channel',
        action: 'Get many channels'
      },
      {
        name: 'Get Posts',
        value: 'getSessionsIdNewslettersNlPosts',
        description: 'List the posts of a channel',
        action: 'Get posts'
      },
      {
        name: 'Get Statistics',
        value: 'getSessionsIdNewslettersNlStats',
        description: 'Get the statistics of a channel',
        action: 'Get statistics'
      },
      {
        name: 'Mute',
        value: 'putSessionsIdNewslettersNlMute',
        description: 'Mute a channel',
        action: 'Mute a channel'
      },
      {
        name: 'Remove Picture',
        value: 'deleteSessionsIdNewslettersNlPicture',
        description: 'Remove the picture of a channel',
        action: 'Remove picture'
      },
      {
        name: 'Set Picture',
        value: 'putSessionsIdNewslettersNlPicture',
        description: 'Set the picture of a channel',
        action: 'Set picture'
      },
      {
        name: 'Unfollow',
        value: 'deleteSessionsIdNewslettersNlFollow',
        description: 'No longer follow a channel',
        action: 'Unfollow a channel'
      },
      {
        name: 'Unmute',
        value: 'deleteSessionsIdNewslettersNlMute',
        description: 'No longer mute a channel',
        action: 'Unmute a channel'
      },
      {
        name: 'Update',
        value: 'patchSessionsIdNewslettersNl',
        description: 'Change the name, description or reactions of a channel',
        action: 'Update a channel'
      },
      {
        name: 'Update',
        value: 'putSessionsIdNewslettersNlAdminsJid',
        description: 'Invite a person to manage a channel',
        action: 'Update a channel'
      }
    ],
    default: 'getSessionsIdNewsletters'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'getSessionsIdNewsletters'
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
          'channel'
        ],
        operation: [
          'getSessionsIdNewsletters'
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
          'channel'
        ],
        operation: [
          'getSessionsIdNewsletters'
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
          'channel'
        ],
        operation: [
          'postSessionsIdNewsletters'
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
    displayName: 'Name',
    name: 'name',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'postSessionsIdNewsletters'
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
          'channel'
        ],
        operation: [
          'postSessionsIdNewsletters'
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
          'channel'
        ],
        operation: [
          'postSessionsIdNewsletters'
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
          'channel'
        ],
        operation: [
          'postSessionsIdNewslettersPreview'
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
    displayName: 'Invite',
    name: 'invite',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'postSessionsIdNewslettersPreview'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The link, or the code at its end'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'getSessionsIdNewslettersNl'
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
          'channel'
        ],
        operation: [
          'getSessionsIdNewslettersNl'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'patchSessionsIdNewslettersNl'
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
          'channel'
        ],
        operation: [
          'patchSessionsIdNewslettersNl'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'patchSessionsIdNewslettersNl'
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
      },
      {
        displayName: 'Name',
        name: 'name',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Reactions',
        name: 'reactions',
        type: 'options',
        default: 'all',
        options: [
          {
            name: 'All',
            value: 'all'
          },
          {
            name: 'Basic',
            value: 'basic'
          },
          {
            name: 'None',
            value: 'none'
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
          'channel'
        ],
        operation: [
          'deleteSessionsIdNewslettersNl'
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
          'channel'
        ],
        operation: [
          'deleteSessionsIdNewslettersNl'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'putSessionsIdNewslettersNlPicture'
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
          'channel'
        ],
        operation: [
          'putSessionsIdNewslettersNlPicture'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'putSessionsIdNewslettersNlPicture'
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
        default: '',
        description: 'A picture that you uploaded with POST /v1/media'
      },
      {
        displayName: 'Media URL',
        name: 'media_url',
        type: 'string',
        default: '',
        description: 'The URL from which the gateway fetches the picture'
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
          'channel'
        ],
        operation: [
          'deleteSessionsIdNewslettersNlPicture'
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
          'channel'
        ],
        operation: [
          'deleteSessionsIdNewslettersNlPicture'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'putSessionsIdNewslettersNlFollow'
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
          'channel'
        ],
        operation: [
          'putSessionsIdNewslettersNlFollow'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'deleteSessionsIdNewslettersNlFollow'
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
          'channel'
        ],
        operation: [
          'deleteSessionsIdNewslettersNlFollow'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'putSessionsIdNewslettersNlMute'
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
          'channel'
        ],
        operation: [
          'putSessionsIdNewslettersNlMute'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'deleteSessionsIdNewslettersNlMute'
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
          'channel'
        ],
        operation: [
          'deleteSessionsIdNewslettersNlMute'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'getSessionsIdNewslettersNlPosts'
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
          'channel'
        ],
        operation: [
          'getSessionsIdNewslettersNlPosts'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'getSessionsIdNewslettersNlPosts'
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
          'channel'
        ],
        operation: [
          'getSessionsIdNewslettersNlPosts'
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
          'channel'
        ],
        operation: [
          'getSessionsIdNewslettersNlStats'
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
          'channel'
        ],
        operation: [
          'getSessionsIdNewslettersNlStats'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'getSessionsIdNewslettersNlFollowers'
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
          'channel'
        ],
        operation: [
          'getSessionsIdNewslettersNlFollowers'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'getSessionsIdNewslettersNlFollowers'
        ]
      }
    },
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'Limit',
        name: 'limit',
        type: 'number',
        default: 50,
        typeOptions: {
          minValue: 1,
          maxValue: 100
        },
        description: 'The maximum number of entries'
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
          'channel'
        ],
        operation: [
          'getSessionsIdNewslettersNlAdmins'
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
          'channel'
        ],
        operation: [
          'getSessionsIdNewslettersNlAdmins'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'putSessionsIdNewslettersNlAdminsJid'
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
          'channel'
        ],
        operation: [
          'putSessionsIdNewslettersNlAdminsJid'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Contact JID',
    name: 'contact_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'putSessionsIdNewslettersNlAdminsJid'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID or the phone number'
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'putSessionsIdNewslettersNlAdminsJid'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Caption',
        name: 'caption',
        type: 'string',
        default: '',
        description: 'Words for the person, in the same message'
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
          'channel'
        ],
        operation: [
          'deleteSessionsIdNewslettersNlAdminsJid'
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
          'channel'
        ],
        operation: [
          'deleteSessionsIdNewslettersNlAdminsJid'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Contact JID',
    name: 'contact_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'deleteSessionsIdNewslettersNlAdminsJid'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID or the phone number'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'deleteSessionsIdNewslettersNlAdminsJidInvite'
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
          'channel'
        ],
        operation: [
          'deleteSessionsIdNewslettersNlAdminsJidInvite'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  },
  {
    displayName: 'Contact JID',
    name: 'contact_jid',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'deleteSessionsIdNewslettersNlAdminsJidInvite'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID or the phone number'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'channel'
        ],
        operation: [
          'postSessionsIdNewslettersNlAccept'
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
          'channel'
        ],
        operation: [
          'postSessionsIdNewslettersNlAccept'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the channel'
  }
]

// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const groupFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'group'
        ]
      }
    },
    options: [
      {
        name: 'Answer Join Requests',
        value: 'postSessionsIdGroupsJidRequests',
        description: 'Approve or reject people who wait to join a group',
        action: 'Answer join requests'
      },
      {
        name: 'Change Members',
        value: 'postSessionsIdGroupsJidMembers',
        description: 'Add, remove, promote or demote members',
        action: 'Change members'
      },
      {
        name: 'Create',
        value: 'postSessionsIdGroups',
        description: 'Create a group',
        action: 'Create a group'
      },
      {
        name: 'Get',
        value: 'getSessionsIdGroupsJid',
        description: 'Get a group with its members',
        action: 'Get a group'
      },
      {
        name: 'Get Invite',
        value: 'getSessionsIdGroupsJidInvite',
        description: 'Get the invite link of a group',
        action: 'Get invite'
      },
      {
        name: 'Get Join Requests',
        value: 'getSessionsIdGroupsJidRequests',
        description: 'List the people who wait to join a group',
        action: 'Get join requests'
      },
      {
        name: 'Get Many',
        value: 'getSessionsIdGroups',
        description: 'List the groups that a number is in',
        action: 'Get many groups'
      },
      {
        name: 'Get Picture',
        value: 'getSessionsIdGroupsJidPicture',
        description: 'Get the picture of a group',
        action: 'Get picture'
      },
      {
        name: 'Join',
        value: 'postSessionsIdGroupsJoin',
        description: 'Join a group by its invite link',
        action: 'Join a group'
      },
      {
        name: 'Leave',
        value: 'postSessionsIdGroupsJidLeave',
        description: 'Leave a group',
        action: 'Leave a group'
      },
      {
        name: 'Preview',
        value: 'postSessionsIdGroupsPreview',
        description: 'Look at a group by its invite link',
        action: 'Preview a group'
      },
      {
        name: 'Remove Picture',
        value: 'deleteSessionsIdGroupsJidPicture',
        description: 'Remove the picture of a group',
        action: 'Remove picture'
      },
      {
        name: 'Revoke Invite',
        value: 'deleteSessionsIdGroupsJidInvite',
        description: 'Revoke the invite link of a group',
        action: 'Revoke invite'
      },
      {
        name: 'Set Picture',
        value: 'putSessionsIdGroupsJidPicture',
        description: 'Set the picture of a group',
        action: 'Set picture'
      },
      {
        name: 'Update',
        value: 'patchSessionsIdGroupsJid',
        description: 'Change the subject, description or settings of a group',
        action: 'Update a group'
      }
    ],
    default: 'getSessionsIdGroups'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'group'
        ],
        operation: [
          'getSessionsIdGroups'
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
          'group'
        ],
        operation: [
          'getSessionsIdGroups'
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
          'group'
        ],
        operation: [
          'getSessionsIdGroups'
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
          'group'
        ],
        operation: [
          'postSessionsIdGroups'
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
          'group'
        ],
        operation: [
          'postSessionsIdGroups'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Members',
    name: 'members',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'group'
        ],
        operation: [
          'postSessionsIdGroups'
        ]
      }
    },
    default: [],
    typeOptions: {
      multipleValues: true
    },
    required: true,
    description: 'JIDs or phone numbers'
  },
  {
    displayName: 'Idempotency Key',
    name: 'idempotencyKey',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'group'
        ],
        operation: [
          'postSessionsIdGroups'
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
          'group'
        ],
        operation: [
          'postSessionsIdGroups'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Community JID',
        name: 'community_jid',
        type: 'string',
        default: '',
        description: 'The community in which the group is created. The number has to be its admin.'
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
          'group'
        ],
        operation: [
          'postSessionsIdGroupsJoin'
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
          'group'
        ],
        operation: [
          'postSessionsIdGroupsJoin'
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
          'group'
        ],
        operation: [
          'postSessionsIdGroupsPreview'
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
          'group'
        ],
        operation: [
          'postSessionsIdGroupsPreview'
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
          'group'
        ],
        operation: [
          'getSessionsIdGroupsJid'
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
          'group'
        ],
        operation: [
          'getSessionsIdGroupsJid'
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
          'group'
        ],
        operation: [
          'patchSessionsIdGroupsJid'
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
          'group'
        ],
        operation: [
          'patchSessionsIdGroupsJid'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the group'
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'group'
        ],
        operation: [
          'patchSessionsIdGroupsJid'
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
        displayName: 'Settings',
        name: 'settings',
        type: 'json',
        default: '{}',
        description: 'As JSON, which may have write, edit, add, join_approval, disappearing_seconds'
      },
      {
        displayName: 'Subject',
        name: 'subject',
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
          'group'
        ],
        operation: [
          'postSessionsIdGroupsJidLeave'
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
          'group'
        ],
        operation: [
          'postSessionsIdGroupsJidLeave'
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
          'group'
        ],
        operation: [
          'postSessionsIdGroupsJidMembers'
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
          'group'
        ],
        operation: [
          'postSessionsIdGroupsJidMembers'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the group'
  },
  {
    displayName: 'Action',
    name: 'action',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'group'
        ],
        operation: [
          'postSessionsIdGroupsJidMembers'
        ]
      }
    },
    default: 'add',
    options: [
      {
        name: 'Add',
        value: 'add',
        action: 'Add'
      },
      {
        name: 'Demote',
        value: 'demote',
        action: 'Demote'
      },
      {
        name: 'Promote',
        value: 'promote',
        action: 'Promote'
      },
      {
        name: 'Remove',
        value: 'remove',
        action: 'Remove'
      }
    ],
    required: true
  },
  {
    displayName: 'Members',
    name: 'members',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'group'
        ],
        operation: [
          'postSessionsIdGroupsJidMembers'
        ]
      }
    },
    default: [],
    typeOptions: {
      multipleValues: true
    },
    required: true,
    description: 'JIDs or phone numbers'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'group'
        ],
        operation: [
          'getSessionsIdGroupsJidInvite'
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
          'group'
        ],
        operation: [
          'getSessionsIdGroupsJidInvite'
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
          'group'
        ],
        operation: [
          'deleteSessionsIdGroupsJidInvite'
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
          'group'
        ],
        operation: [
          'deleteSessionsIdGroupsJidInvite'
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
          'group'
        ],
        operation: [
          'getSessionsIdGroupsJidPicture'
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
          'group'
        ],
        operation: [
          'getSessionsIdGroupsJidPicture'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the group'
  },
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'group'
        ],
        operation: [
          'getSessionsIdGroupsJidPicture'
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
          'group'
        ],
        operation: [
          'putSessionsIdGroupsJidPicture'
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
          'group'
        ],
        operation: [
          'putSessionsIdGroupsJidPicture'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the group'
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    displayOptions: {
      show: {
        resource: [
          'group'
        ],
        operation: [
          'putSessionsIdGroupsJidPicture'
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
          'group'
        ],
        operation: [
          'deleteSessionsIdGroupsJidPicture'
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
          'group'
        ],
        operation: [
          'deleteSessionsIdGroupsJidPicture'
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
          'group'
        ],
        operation: [
          'getSessionsIdGroupsJidRequests'
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
          'group'
        ],
        operation: [
          'getSessionsIdGroupsJidRequests'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the group'
  },
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    displayOptions: {
      show: {
        resource: [
          'group'
        ],
        operation: [
          'getSessionsIdGroupsJidRequests'
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
          'group'
        ],
        operation: [
          'getSessionsIdGroupsJidRequests'
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
          'group'
        ],
        operation: [
          'postSessionsIdGroupsJidRequests'
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
          'group'
        ],
        operation: [
          'postSessionsIdGroupsJidRequests'
        ]
      }
    },
    default: '',
    required: true,
    description: 'The JID of the group'
  },
  {
    displayName: 'Action',
    name: 'action',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'group'
        ],
        operation: [
          'postSessionsIdGroupsJidRequests'
        ]
      }
    },
    default: 'approve',
    options: [
      {
        name: 'Approve',
        value: 'approve',
        action: 'Approve'
      },
      {
        name: 'Reject',
        value: 'reject',
        action: 'Reject'
      }
    ],
    required: true
  },
  {
    displayName: 'Members',
    name: 'members',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'group'
        ],
        operation: [
          'postSessionsIdGroupsJidRequests'
        ]
      }
    },
    default: [],
    typeOptions: {
      multipleValues: true
    },
    required: true,
    description: 'JIDs or phone numbers'
  }
]

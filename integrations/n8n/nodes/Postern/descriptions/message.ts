// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'

export const messageFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'message'
        ]
      }
    },
    options: [
      {
        name: 'Edit',
        value: 'patchMessagesId',
        description: 'Edit the text of a message for everyone',
        action: 'Edit a message'
      },
      {
        name: 'Get',
        value: 'getMessagesId',
        description: 'Get a message with the history of its states',
        action: 'Get a message'
      },
      {
        name: 'Get Many',
        value: 'getMessages',
        description: 'List the messages that you sent, newest first',
        action: 'Get many messages'
      },
      {
        name: 'Get Viewers',
        value: 'getMessagesIdViewers',
        description: 'List the people who have seen a status post, or read a message',
        action: 'Get viewers'
      },
      {
        name: 'Revoke or Cancel',
        value: 'deleteMessagesId',
        description: 'Revoke a message for everyone, or cancel a waiting message',
        action: 'Revoke or cancel a message'
      },
      {
        name: 'Send',
        value: 'postMessages',
        description: 'Send a message',
        action: 'Send a message'
      }
    ],
    default: 'postMessages'
  },
  {
    displayName: 'Number Name or ID',
    name: 'session_id',
    type: 'options',
    displayOptions: {
      show: {
        resource: [
          'message'
        ],
        operation: [
          'postMessages'
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
    displayName: 'To',
    name: 'to',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'message'
        ],
        operation: [
          'postMessages'
        ]
      }
    },
    default: '',
    required: true,
    description: 'A JID, or a phone number in digits with optional +, spaces and dashes'
  },
  {
    displayName: 'Text',
    name: 'text',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'message'
        ],
        operation: [
          'postMessages'
        ]
      }
    },
    default: '',
    description: 'The text, the caption of media, the emoji of a reaction, or the body above buttons and lists'
  },
  {
    displayName: 'Idempotency Key',
    name: 'idempotencyKey',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'message'
        ],
        operation: [
          'postMessages'
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
          'message'
        ],
        operation: [
          'postMessages'
        ]
      }
    },
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Album',
        name: 'album',
        type: 'json',
        default: '{}',
        description: 'Announces an album of 2 to 100 files, which follow as messages of their own. As JSON, which may have images, videos.'
      },
      {
        displayName: 'Album Message ID',
        name: 'album_message_id',
        type: 'string',
        default: '',
        description: 'For an image or a video: the `msg_…` of the album to the same recipient that it belongs to'
      },
      {
        displayName: 'Audience',
        name: 'audience',
        type: 'string',
        default: [],
        typeOptions: {
          multipleValues: true
        },
        description: 'Who sees a post to `status@broadcast`: JIDs or phone numbers. Without it, the people whom the owner has chosen on the phone, of those that the number has written to.'
      },
      {
        displayName: 'Buttons',
        name: 'buttons',
        type: 'json',
        default: '[{"text":""}]',
        description: 'As JSON, which may have type, url, phone, code'
      },
      {
        displayName: 'Carousel',
        name: 'carousel',
        type: 'json',
        default: '[{"text":"","buttons":[{"text":""}]}]',
        description: 'Cards that people swipe through. All of them have a picture, or none. As JSON, which may have title, media_url, media_id.'
      },
      {
        displayName: 'Contacts',
        name: 'contacts',
        type: 'json',
        default: '[{"name":"","phone":""}]',
        description: 'As JSON'
      },
      {
        displayName: 'Event',
        name: 'event',
        type: 'json',
        default: '{"name":"","start":""}',
        description: 'As JSON, which may have description, end, location'
      },
      {
        displayName: 'Event Answer',
        name: 'event_answer',
        type: 'json',
        default: '{"message_id":"","answer":""}',
        description: 'Answers an event that this number received within the last 90 days. The last answer counts. As JSON, which may have participant.'
      },
      {
        displayName: 'Event Change',
        name: 'event_change',
        type: 'json',
        default: '{"message_id":"","name":"","start":""}',
        description: 'Changes or cancels an event: everything that the event has from now on. As JSON, which may have description, end, location, canceled.'
      },
      {
        displayName: 'Filename',
        name: 'filename',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Footer',
        name: 'footer',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Forward Message ID',
        name: 'forward_message_id',
        type: 'string',
        default: '',
        description: 'A message that this number sent within the last 7 days: its `msg_…` or its ID on the platform. It is sent again, marked as forwarded. The gateway keeps no content of received messages: send their content with `forwarded`.'
      },
      {
        displayName: 'Forwarded',
        name: 'forwarded',
        type: 'boolean',
        default: false,
        description: 'Whether to set it: Marks a text, media, a location, contacts or a poll as forwarded'
      },
      {
        displayName: 'Keep',
        name: 'keep',
        type: 'json',
        default: '{"message_id":""}',
        description: 'As JSON, which may have participant, kept'
      },
      {
        displayName: 'Link Preview',
        name: 'link_preview',
        type: 'boolean',
        default: false,
        description: 'Whether the first link of the text has a preview with the title and description of its page. An object adds a large picture: `image_url` or `image_media_id`.'
      },
      {
        displayName: 'List',
        name: 'list',
        type: 'json',
        default: '{"button_text":"","sections":[{"rows":[{"id":"","title":""}]}]}',
        description: 'As JSON, which may have title'
      },
      {
        displayName: 'Location',
        name: 'location',
        type: 'json',
        default: '{"latitude":0,"longitude":0}',
        description: 'As JSON, which may have name, address'
      },
      {
        displayName: 'Media ID',
        name: 'media_id',
        type: 'string',
        default: '',
        description: 'A file that you uploaded with POST /v1/media, or that a number received, instead of `media_url`. A document may have up to 2 GiB, every other type up to 64 MiB.'
      },
      {
        displayName: 'Media Type',
        name: 'media_type',
        type: 'options',
        default: 'image',
        options: [
          {
            name: 'Audio',
            value: 'audio'
          },
          {
            name: 'Document',
            value: 'document'
          },
          {
            name: 'Image',
            value: 'image'
          },
          {
            name: 'Sticker',
            value: 'sticker'
          },
          {
            name: 'Video',
            value: 'video'
          },
          {
            name: 'Voice',
            value: 'voice'
          }
        ]
      },
      {
        displayName: 'Media URL',
        name: 'media_url',
        type: 'string',
        default: '',
        description: 'The URL from which the gateway fetches the file. A sandbox number also accepts a `media_url` from POST /sandbox/media.'
      },
      {
        displayName: 'Mentions',
        name: 'mentions',
        type: 'string',
        default: [],
        typeOptions: {
          multipleValues: true
        }
      },
      {
        displayName: 'Pin',
        name: 'pin',
        type: 'json',
        default: '{"message_id":""}',
        description: 'As JSON, which may have participant, duration'
      },
      {
        displayName: 'Poll',
        name: 'poll',
        type: 'json',
        default: '{"name":"","options":[]}',
        description: 'As JSON, which may have selectable_count'
      },
      {
        displayName: 'Priority',
        name: 'priority',
        type: 'options',
        default: 'normal',
        options: [
          {
            name: 'High',
            value: 'high'
          },
          {
            name: 'Normal',
            value: 'normal'
          }
        ],
        description: '`high` sends the message before waiting messages of the number to other chats. Messages to the same chat keep their order.'
      },
      {
        displayName: 'Quoted Message ID',
        name: 'quoted_message_id',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Quoted Participant',
        name: 'quoted_participant',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Quoted Text',
        name: 'quoted_text',
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
        displayName: 'Reacted Participant',
        name: 'reacted_participant',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Send At',
        name: 'send_at',
        type: 'string',
        default: '',
        placeholder: '2026-01-31T12:00:00Z',
        description: 'When to send the message: ISO 8601, at most 30 days ahead.'
      },
      {
        displayName: 'Typing Ms',
        name: 'typing_ms',
        type: 'number',
        default: 0,
        typeOptions: {
          minValue: 0,
          maxValue: 30000
        },
        description: 'For how long the chat shows that the number is typing, or recording for a voice message, before the message is sent'
      },
      {
        displayName: 'View Once',
        name: 'view_once',
        type: 'boolean',
        default: false,
        description: 'Whether to set view once'
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
          'message'
        ],
        operation: [
          'getMessages'
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
          'message'
        ],
        operation: [
          'getMessages'
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
          'message'
        ],
        operation: [
          'getMessages'
        ]
      }
    },
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'Number Name or ID',
        name: 'session_id',
        type: 'options',
        default: '',
        typeOptions: {
          loadOptionsMethod: 'getSessions'
        },
        description: 'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'
      },
      {
        displayName: 'State',
        name: 'state',
        type: 'options',
        default: 'scheduled',
        options: [
          {
            name: 'Cancelled',
            value: 'cancelled'
          },
          {
            name: 'Delivered',
            value: 'delivered'
          },
          {
            name: 'Failed',
            value: 'failed'
          },
          {
            name: 'Played',
            value: 'played'
          },
          {
            name: 'Queued',
            value: 'queued'
          },
          {
            name: 'Read',
            value: 'read'
          },
          {
            name: 'Scheduled',
            value: 'scheduled'
          },
          {
            name: 'Sent',
            value: 'sent'
          }
        ]
      }
    ]
  },
  {
    displayName: 'Message ID',
    name: 'message_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'message'
        ],
        operation: [
          'getMessagesId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Message ID',
    name: 'message_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'message'
        ],
        operation: [
          'patchMessagesId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Text',
    name: 'text',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'message'
        ],
        operation: [
          'patchMessagesId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Message ID',
    name: 'message_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'message'
        ],
        operation: [
          'deleteMessagesId'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Message ID',
    name: 'message_id',
    type: 'string',
    displayOptions: {
      show: {
        resource: [
          'message'
        ],
        operation: [
          'getMessagesIdViewers'
        ]
      }
    },
    default: '',
    required: true
  },
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    displayOptions: {
      show: {
        resource: [
          'message'
        ],
        operation: [
          'getMessagesIdViewers'
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
          'message'
        ],
        operation: [
          'getMessagesIdViewers'
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
  }
]

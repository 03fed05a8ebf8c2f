import {
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from 'n8n-workflow'
import { getSessions } from '../Postern/sessions.ts'
import { attach, detach, isAttached } from './attach.ts'
import { KINDS } from './kinds.ts'
import { receive } from './receive.ts'

// An agent cannot call a trigger as a tool.
// eslint-disable-next-line @n8n/community-nodes/node-usable-as-tool
export class PosternTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Postern Trigger',
    name: 'posternTrigger',
    icon: 'file:postern.svg',
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter["kinds"].join(", ") }}',
    description: 'Starts the workflow when something happens to a WhatsApp number of a Postern gateway',
    defaults: { name: 'Postern Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'posternApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName: 'Number Names or IDs',
        name: 'sessions',
        type: 'multiOptions',
        typeOptions: { loadOptionsMethod: 'getSessions' },
        default: [],
        required: true,
        description:
          'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
      },
      {
        displayName: 'Events',
        name: 'kinds',
        type: 'multiOptions',
        options: KINDS,
        default: ['message'],
        required: true,
        description: 'The kinds of events that start the workflow; others are answered and left',
      },
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        placeholder: 'Add Option',
        default: {},
        options: [
          {
            displayName: 'Ignore Groups',
            name: 'ignoreGroups',
            type: 'boolean',
            default: false,
            description: 'Whether to leave what happens in groups',
          },
          {
            displayName: 'Ignore Status Posts',
            name: 'ignoreStatusPosts',
            type: 'boolean',
            default: false,
            description: 'Whether to leave messages that are posts of a Status',
          },
          {
            displayName: 'Media as Binary',
            name: 'mediaAsBinary',
            type: 'boolean',
            default: true,
            description: 'Whether to give the file of a message as binary data instead of base64 in its JSON',
          },
          {
            displayName: 'Take Over Webhook',
            name: 'takeOver',
            type: 'boolean',
            default: false,
            description:
              'Whether to take over the webhook of a number that has another URL. A number has one: the previous receiver gets no more events, and the secret is replaced. A test never takes one over.',
          },
        ],
      },
    ],
  }

  methods = { loadOptions: { getSessions } }

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return await isAttached(this)
      },
      async create(this: IHookFunctions): Promise<boolean> {
        await attach(this)
        return true
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        await detach(this)
        return true
      },
    },
  }

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return await receive(this)
  }
}

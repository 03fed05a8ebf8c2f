// Made from openapi.json by `npm run describe`.
import type { INodeProperties } from 'n8n-workflow'
import { accountFields } from './account.ts'
import { apiKeyFields } from './api-key.ts'
import { apiLogFields } from './api-log.ts'
import { channelFields } from './channel.ts'
import { chatFields } from './chat.ts'
import { contactFields } from './contact.ts'
import { deliveryFields } from './delivery.ts'
import { endpointFields } from './endpoint.ts'
import { groupFields } from './group.ts'
import { listenerFields } from './listener.ts'
import { mediaFields } from './media.ts'
import { messageFields } from './message.ts'
import { numberFields } from './number.ts'
import { operatorFields } from './operator.ts'
import { pairingFields } from './pairing.ts'
import { personFields } from './person.ts'
import { sandboxFields } from './sandbox.ts'
import { webhookFields } from './webhook.ts'

const resource: INodeProperties = {
  displayName: 'Resource',
  name: 'resource',
  type: 'options',
  noDataExpression: true,
  options: [
    {
      name: 'Account',
      value: 'account'
    },
    {
      name: 'API Key',
      value: 'apiKey'
    },
    {
      name: 'API Log',
      value: 'apiLog'
    },
    {
      name: 'Channel',
      value: 'channel'
    },
    {
      name: 'Chat',
      value: 'chat'
    },
    {
      name: 'Contact',
      value: 'contact'
    },
    {
      name: 'Delivery',
      value: 'delivery'
    },
    {
      name: 'Endpoint',
      value: 'endpoint'
    },
    {
      name: 'Group',
      value: 'group'
    },
    {
      name: 'Listener',
      value: 'listener'
    },
    {
      name: 'Media',
      value: 'media'
    },
    {
      name: 'Message',
      value: 'message'
    },
    {
      name: 'Number',
      value: 'number'
    },
    {
      name: 'Operator',
      value: 'operator'
    },
    {
      name: 'Pairing',
      value: 'pairing'
    },
    {
      name: 'Person',
      value: 'person'
    },
    {
      name: 'Sandbox',
      value: 'sandbox'
    },
    {
      name: 'Webhook',
      value: 'webhook'
    }
  ],
  default: 'message'
}

export const PROPERTIES: INodeProperties[] = [resource, ...accountFields, ...apiKeyFields, ...apiLogFields, ...channelFields, ...chatFields, ...contactFields, ...deliveryFields, ...endpointFields, ...groupFields, ...listenerFields, ...mediaFields, ...messageFields, ...numberFields, ...operatorFields, ...pairingFields, ...personFields, ...sandboxFields, ...webhookFields]

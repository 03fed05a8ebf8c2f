export type { CallOptions } from './api.ts'
export { PosternClient, type PosternClientOptions } from './client.ts'
export { PosternError } from './transport.ts'
export type * from './events.ts'
export type { ListenedEvent, ListenerPosition, ListenOptions } from './listen.ts'
export type { PulledEvent, PullOptions } from './pull.ts'
export type { SendOptions } from './message-calls.ts'
export type { EndpointOptions } from './webhook-calls.ts'
export { PosternOperator, type PosternOperatorOptions } from './operator.ts'
export type { ConnectionOptions } from './options.ts'
export type * from './resources.ts'
export type { components, paths } from './schema.ts'
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookRefusal,
  WebhookVerificationError,
} from './verify-webhook.ts'
export {
  receiveWebhook,
  type SeenEvents,
  type WebhookDelivery,
  type WebhookHandlerOptions,
} from './receive-webhook.ts'
export { respondToWebhook } from './respond-to-webhook.ts'

export { type ListQuery, PosternClient, type PosternClientOptions } from './client.ts'
export type * from './events.ts'
export type * from './resources.ts'
export { PosternError } from './transport.ts'
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookRefusal,
  WebhookVerificationError,
} from './verify-webhook.ts'

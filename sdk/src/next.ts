import type { WebhookHandlerOptions } from './receive-webhook.ts'
import { respondToWebhook } from './respond-to-webhook.ts'

/** In `app/webhooks/route.ts`: `export const POST = webhook({ secret, onEvent })` */
export function webhook(options: WebhookHandlerOptions): (request: Request) => Promise<Response> {
  return respondToWebhook(options)
}

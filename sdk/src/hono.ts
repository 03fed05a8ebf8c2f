import type { WebhookHandlerOptions } from './receive-webhook.ts'
import { respondToWebhook } from './respond-to-webhook.ts'

/** `app.post('/webhooks', webhook({ secret, onEvent }))` */
export function webhook(options: WebhookHandlerOptions): (context: { req: { raw: Request } }) => Promise<Response> {
  const respond = respondToWebhook(options)
  return context => respond(context.req.raw)
}

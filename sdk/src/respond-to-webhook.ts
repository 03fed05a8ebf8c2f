import { receiveWebhook, type WebhookHandlerOptions } from './receive-webhook.ts'

/** A handler for runtimes with Request and Response: Deno, Bun and edge runtimes, and frameworks on top of them. */
export function respondToWebhook(options: WebhookHandlerOptions): (request: Request) => Promise<Response> {
  const receive = receiveWebhook(options)
  return async request => {
    const payload = new Uint8Array(await request.arrayBuffer())
    const { status, error } = await receive({ payload, header: name => request.headers.get(name) })
    return error === undefined ? new Response(null, { status }) : Response.json({ error }, { status })
  }
}

import { randomUUID } from 'node:crypto'
import type {
  CreatedWebhook,
  Delivery,
  OutgoingMessage,
  Page,
  QueuedMessage,
  Session,
  Webhook,
  WebhookTestResult,
  WebhookUrls,
} from './resources.ts'
import { createTransport, type Transport } from './transport.ts'

export interface PosternClientOptions {
  readonly baseUrl: string
  /** Secret: use it on servers only. */
  readonly apiKey: string
  /** Of one try. */
  readonly timeoutMs?: number
  readonly maxRetries?: number
  /** The longest wait to accept from Retry-After; a longer one is thrown as the error it came with. */
  readonly maxWaitMs?: number
  readonly fetch?: typeof fetch
}

export interface ListQuery {
  readonly limit?: number
  readonly cursor?: string
}

interface SendOptions {
  /** Chosen by you so that a retry of yours is no second message; made up where absent. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

/** A client of the HTTP interface, with types. Refusals are rejected as PosternError. */
export class PosternClient {
  readonly #call: Transport
  readonly webhooks: ReturnType<typeof webhookCalls>
  readonly sessions: ReturnType<typeof sessionCalls>
  readonly deliveries: ReturnType<typeof deliveryCalls>

  constructor(options: PosternClientOptions) {
    this.#call = createTransport({
      timeoutMs: 30_000,
      maxRetries: 3,
      maxWaitMs: 60_000,
      fetch: globalThis.fetch,
      ...options,
    })
    this.webhooks = webhookCalls(this.#call)
    this.sessions = sessionCalls(this.#call)
    this.deliveries = deliveryCalls(this.#call)
  }

  me(): Promise<Record<string, unknown>> {
    return this.#call({ method: 'GET', path: '/v1/me' })
  }

  acceptTerms(version: string): Promise<{ version: string; accepted_at: string }> {
    return this.#call({ method: 'POST', path: '/v1/tos/accept', body: { version } })
  }

  /** Queues a message. Safe to repeat: the same idempotency key never makes a second message. */
  send(message: OutgoingMessage, { idempotencyKey = randomUUID(), signal }: SendOptions = {}): Promise<QueuedMessage> {
    return this.#call({
      method: 'POST',
      path: '/v1/messages',
      body: message,
      idempotencyKey,
      ...(signal && { signal }),
    })
  }

  /** The record of a message: its state and how it got there. */
  message(id: string): Promise<Record<string, unknown>> {
    return this.#call({ method: 'GET', path: `/v1/messages/${encodeURIComponent(id)}` })
  }
}

function webhookCalls(call: Transport) {
  const pathOf = (id: string) => `/v1/webhooks/${encodeURIComponent(id)}`
  return {
    list: (query: ListQuery = {}) => call<Page<Webhook>>({ method: 'GET', path: '/v1/webhooks', query: { ...query } }),
    get: (id: string) => call<Webhook>({ method: 'GET', path: pathOf(id) }),
    create: (body: WebhookUrls & { session_id: string }) =>
      call<CreatedWebhook>({ method: 'POST', path: '/v1/webhooks', body }),
    /** Changes the URLs that are given; an empty one switches its category off. */
    update: (id: string, body: WebhookUrls) => call<Webhook>({ method: 'PUT', path: pathOf(id), body }),
    delete: (id: string) => call<{ id: string; deleted: true }>({ method: 'DELETE', path: pathOf(id) }),
    test: (id: string, body: { category?: string; sign?: boolean } = {}) =>
      call<{ data: WebhookTestResult[] }>({ method: 'POST', path: `${pathOf(id)}/test`, body }),
    rotateSecret: (id: string, body: { overlap_seconds?: number } = {}) =>
      call<CreatedWebhook>({ method: 'POST', path: `${pathOf(id)}/rotate-secret`, body }),
  }
}

function sessionCalls(call: Transport) {
  const pathOf = (id: string) => `/v1/sessions/${encodeURIComponent(id)}`
  return {
    list: (query: ListQuery = {}) => call<Page<Session>>({ method: 'GET', path: '/v1/sessions', query: { ...query } }),
    get: (id: string) => call<Session>({ method: 'GET', path: pathOf(id) }),
    createSandbox: (body: { phone?: string; label?: string } = {}) =>
      call<Session>({ method: 'POST', path: '/v1/sessions', body: { platform: 'sandbox', ...body } }),
    autoReject: (id: string, body: { enabled: boolean; message?: string }) =>
      call<{ enabled: boolean; message?: string }>({ method: 'POST', path: `${pathOf(id)}/calls/auto-reject`, body }),
    subscribePresence: (id: string, contact_jid: string) =>
      call<{ contact_jid: string; subscribed: true }>({
        method: 'POST',
        path: `${pathOf(id)}/presence/subscribe`,
        body: { contact_jid },
      }),
    /** Both ids come from a `newsletter_message` event; an empty emoji takes the reaction back. */
    reactInNewsletter: (
      id: string,
      newsletter: string,
      body: { server_id: number; message_id: string; emoji: string },
    ) =>
      call<unknown>({
        method: 'POST',
        path: `${pathOf(id)}/newsletters/${encodeURIComponent(newsletter)}/react`,
        body,
      }),
    delete: (id: string) => call<unknown>({ method: 'DELETE', path: pathOf(id) }),
  }
}

function deliveryCalls(call: Transport) {
  const pathOf = (id: string) => `/v1/deliveries/${encodeURIComponent(id)}`
  return {
    list: (
      query: ListQuery & {
        session_id?: string
        event_type?: string
        status?: Delivery['status']
        webhook_id?: string
        since?: string
        until?: string
      } = {},
    ) => call<Page<Delivery>>({ method: 'GET', path: '/v1/deliveries', query: { ...query } }),
    get: (id: string) => call<Delivery>({ method: 'GET', path: pathOf(id) }),
    resend: (id: string) => call<Delivery>({ method: 'POST', path: `${pathOf(id)}/resend`, body: {} }),
  }
}

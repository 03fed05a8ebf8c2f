import type { WebhookEvent } from './events.ts'
import { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts'

/** The ids of handled deliveries, so that a repeated event is not handled again. */
export interface SeenEvents {
  has(id: string): boolean | Promise<boolean>
  add(id: string): unknown
}

export interface WebhookDelivery {
  /** Identifies the event: the same each time it arrives. */
  readonly id: string
  readonly webhookId: string
}

export interface WebhookHandlerOptions {
  /** The webhook's secret, whole, with its `whsec_` prefix; several while you rotate it. */
  readonly secret: string | readonly string[]
  /** If it throws, the response is 500 and the gateway retries. It has ten seconds: queue longer work. */
  readonly onEvent: (event: WebhookEvent, delivery: WebhookDelivery) => unknown
  /** Defaults to the last 10,000 ids in memory. Give a shared store if several processes receive events. */
  readonly seen?: SeenEvents
  readonly toleranceSeconds?: number
  /** Called with the error that `onEvent` threw; by default the error is printed. */
  readonly onError?: (error: unknown) => void
}

export interface WebhookRequest {
  readonly payload: string | Uint8Array
  readonly header: (
    name: 'x-webhook-signature' | 'x-webhook-id' | 'x-message-id',
  ) => string | readonly string[] | null | undefined
}

export interface WebhookAnswer {
  readonly status: 204 | 401 | 500
  readonly error?: string
}

const keptIds = 10_000

/** Verifies a request, skips handled events and returns the response. Every handler uses it. */
export function receiveWebhook(options: WebhookHandlerOptions): (request: WebhookRequest) => Promise<WebhookAnswer> {
  checkHandlerOptions(options)
  const seen = options.seen ?? new RecentIds(keptIds)
  const running = new Map<string, Promise<WebhookAnswer>>()
  const handle = async (event: WebhookEvent, delivery: WebhookDelivery): Promise<WebhookAnswer> => {
    try {
      if (await seen.has(delivery.id)) return { status: 204 }
      await options.onEvent(event, delivery)
      await seen.add(delivery.id)
      return { status: 204 }
    } catch (error) {
      if (options.onError) options.onError(error)
      else console.error(error)
      return { status: 500, error: 'the event could not be handled' }
    }
  }
  return async ({ payload, header }) => {
    const event = await verified(options, payload, header('x-webhook-signature'))
    if (event instanceof WebhookVerificationError) return { status: 401, error: event.message }
    const delivery = deliveryOf(event, header)
    const handling = running.get(delivery.id) ?? handle(event, delivery)
    running.set(delivery.id, handling)
    return await handling.finally(() => running.delete(delivery.id))
  }
}

async function verified(
  { secret, toleranceSeconds }: WebhookHandlerOptions,
  payload: string | Uint8Array,
  header: ReturnType<WebhookRequest['header']>,
): Promise<WebhookEvent | WebhookVerificationError> {
  try {
    return await verifyWebhook({ payload, header, secret, ...(toleranceSeconds !== undefined && { toleranceSeconds }) })
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error
    throw error
  }
}

/** Senders choose the ids of their messages, so two chats may have the same one. */
function deliveryOf(event: WebhookEvent, header: WebhookRequest['header']): WebhookDelivery {
  const webhookId = String(header('x-webhook-id') ?? '')
  const chat = event.kind === 'message' ? [event.chat_jid] : []
  return { id: [webhookId, String(header('x-message-id') ?? ''), ...chat].join(' '), webhookId }
}

function checkHandlerOptions({ secret, onEvent }: WebhookHandlerOptions): void {
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? [])
  if (secrets.length === 0 || secrets.some(each => typeof each !== 'string' || !each.startsWith('whsec_')))
    throw new TypeError('secret must be the secret of a webhook, whole: it begins with whsec_')
  if (typeof onEvent !== 'function') throw new TypeError('onEvent must be a function')
}

class RecentIds implements SeenEvents {
  readonly #ids = new Set<string>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  add(id: string): void {
    this.#ids.add(id)
    if (this.#ids.size > this.#max) for (const oldest of this.#ids) return void this.#ids.delete(oldest)
  }
}

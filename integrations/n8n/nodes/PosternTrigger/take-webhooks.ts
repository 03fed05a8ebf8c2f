import { type UrlField, urlsOf, type WebhookConfig } from '../Postern/webhook-config.ts'

type Urls = Record<UrlField, string>

export type WithSecret = WebhookConfig & { secret: string }

/** The calls of the gateway that this uses. */
export interface WebhookCalls {
  create(sessionId: string, urls: Urls): Promise<WithSecret>
  change(id: string, urls: Urls): Promise<unknown>
  renewSecret(id: string): Promise<WithSecret>
}

/** A number and its webhook. */
export interface Place {
  sessionId: string
  existing: WebhookConfig | undefined
}

/**
 * Creates or takes over the webhook of every number. If one fails, the webhooks that existed get their URLs back. It rotates
 * secrets last, because an old secret cannot be restored.
 */
export async function takeWebhooks(
  calls: WebhookCalls,
  places: Place[],
  urls: Urls,
  keep: (sessionId: string, config: WithSecret) => void,
): Promise<void> {
  const changed: WebhookConfig[] = []
  try {
    for (const { sessionId, existing } of places) {
      if (existing === undefined) {
        keep(sessionId, await calls.create(sessionId, urls))
        continue
      }
      changed.push(existing)
      await calls.change(existing.id, urls)
    }
    for (const { sessionId, existing } of places)
      if (existing !== undefined) keep(sessionId, await calls.renewSecret(existing.id))
  } catch (error) {
    // The first error matters, even if the gateway no longer answers.
    for (const config of changed) await calls.change(config.id, urlsOf(config)).catch(() => {})
    throw error
  }
}

import { type UrlField, urlsOf, type WebhookConfig } from '../Postern/webhook-config.ts'

type Urls = Record<UrlField, string>

export type WithSecret = WebhookConfig & { secret: string }

/** What is asked of the gateway. */
export interface WebhookCalls {
  create(sessionId: string, urls: Urls): Promise<WithSecret>
  change(id: string, urls: Urls): Promise<unknown>
  renewSecret(id: string): Promise<WithSecret>
}

/** A number, and the webhook that it has. */
export interface Place {
  sessionId: string
  existing: WebhookConfig | undefined
}

/**
 * Gives every number its webhook. Where one cannot have it, those that were there lead where they led. A secret is renewed
 * last, because the old one cannot be put back.
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
    // Why it failed counts, also where the gateway does not answer any more.
    for (const config of changed) await calls.change(config.id, urlsOf(config)).catch(() => {})
    throw error
  }
}

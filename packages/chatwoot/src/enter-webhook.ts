import type { Clock } from './clock.ts'
import { BridgeError } from './bridge-error.ts'
import { type ChatwootApi, ChatwootError } from './chatwoot-api.ts'
import type { BridgeLog } from './bridge-log.ts'

const RETRY_MS = 5_000

export interface WebhookEntryDeps {
  api: ChatwootApi
  inbox: number
  url: string
}

/** Sets the webhook URL of the inbox. `false`: Chatwoot is unreachable. Any other failure rejects. */
export async function enterWebhook({ api, inbox, url }: WebhookEntryDeps): Promise<boolean> {
  try {
    await api.setWebhook(inbox, url)
    return true
  } catch (error) {
    if (!(error instanceof ChatwootError)) throw error
    const { status } = error
    if (status === 0 || status === 429 || status >= 500) return false
    throw new BridgeError(
      `--set-webhook: Chatwoot answered ${status}. An administrator's token may do it; or leave the option out and enter the address by hand.`,
    )
  }
}

/** Retries in the background until Chatwoot accepts or rejects it, or the signal aborts. */
export async function enterLater(
  deps: WebhookEntryDeps,
  { log, clock, signal }: { log: BridgeLog; clock: Clock; signal: AbortSignal },
): Promise<void> {
  log.warn('webhook_url', 'Chatwoot does not take the webhook URL now; it is asked again.')
  while (!signal.aborted) {
    await clock.sleep(RETRY_MS, signal)
    if (signal.aborted) return
    try {
      if (await enterWebhook(deps)) return log.warn('webhook_url', 'Chatwoot has the webhook URL.')
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      return log.warn('webhook_url', error.message)
    }
  }
}

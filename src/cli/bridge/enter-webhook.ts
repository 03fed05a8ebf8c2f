import type { Clock } from '../../runtime/clock.ts'
import { ConfigError } from '../../boot/config-error.ts'
import { type ChatwootApi, ChatwootRefusal } from './chatwoot-api.ts'
import type { Says } from './says.ts'

const AGAIN_MS = 5_000

export interface EnterParts {
  api: ChatwootApi
  inbox: number
  url: string
}

/** Enters the bridge's address in Chatwoot. `false`: it is away; whatever else it answers is thrown. */
export async function enterWebhook({ api, inbox, url }: EnterParts): Promise<boolean> {
  try {
    await api.setWebhook(inbox, url)
    return true
  } catch (error) {
    if (!(error instanceof ChatwootRefusal)) throw error
    const { status } = error
    if (status === 0 || status === 429 || status >= 500) return false
    throw new ConfigError(
      `--set-webhook: Chatwoot answered ${status}. An administrator's token may do it; or leave the option out and enter the address by hand.`,
    )
  }
}

/** The same beside other work, until it is done, refused, or nobody waits for it any more. */
export async function enterLater(
  parts: EnterParts,
  { says, clock, signal }: { says: Says; clock: Clock; signal: AbortSignal },
): Promise<void> {
  says.news('webhook_url', 'Chatwoot does not take the webhook URL now; it is asked again.')
  while (!signal.aborted) {
    await clock.sleep(AGAIN_MS, signal)
    if (signal.aborted) return
    try {
      if (await enterWebhook(parts)) return says.news('webhook_url', 'Chatwoot has the webhook URL.')
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return says.news('webhook_url', error.message)
    }
  }
}

import { ChatwootRefusal } from './chatwoot-api.ts'
import { Again } from './lanes.ts'

/** What Chatwoot answers to a thing that it has read and does not want; all else may be otherwise later. */
const REFUSALS = [400, 413, 415, 422]

/** So many messages of a conversation in a minute, and no more. */
export const isFlood = ({ status, message }: ChatwootRefusal): boolean => status === 422 && /too many/i.test(message)

/** When to try again. What stands before Chatwoot answers for it while it is away, with whatever it likes. */
export function laterOf(error: ChatwootRefusal): Again {
  const { status, message, retryAfterMs, isItsOwn } = error
  if (status === 401) return new Again('Chatwoot refuses CHATWOOT_TOKEN (401); is it still valid?')
  if (isItsOwn && REFUSALS.includes(status) && !isFlood(error))
    return new Again(`Chatwoot answered ${status}`, { isRefused: true })
  return new Again(`Chatwoot does not take it now (${status || message})`, { afterMs: retryAfterMs })
}

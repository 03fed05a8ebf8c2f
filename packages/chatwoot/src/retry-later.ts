import { ChatwootError } from './chatwoot-api.ts'
import { RetryLater } from './keyed-queues.ts'

/** The statuses with which Chatwoot rejects a request permanently. */
const REJECTIONS = [400, 413, 415, 422]

/** Chatwoot limits the messages of a conversation per minute. */
export const isRateLimit = ({ status, message }: ChatwootError): boolean => status === 422 && /too many/i.test(message)

/** When to retry. While Chatwoot is unreachable, a proxy in front of it may respond with any status. */
export function retryLaterOf(error: ChatwootError): RetryLater {
  const { status, message, retryAfterMs, isItsOwn } = error
  if (status === 401) return new RetryLater('Chatwoot refuses CHATWOOT_TOKEN (401); is it still valid?')
  if (isItsOwn && REJECTIONS.includes(status) && !isRateLimit(error))
    return new RetryLater(`Chatwoot answered ${status}`, { isRefused: true })
  return new RetryLater(`Chatwoot does not take it now (${status || message})`, { afterMs: retryAfterMs })
}

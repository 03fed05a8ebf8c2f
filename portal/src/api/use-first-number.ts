import { useQuery } from '@tanstack/react-query'
import type { Session } from './records.ts'
import { sessionsQuery } from './sessions.ts'
import { webhooksQuery } from './webhooks.ts'

/** The number to try things with: one whose events go somewhere, else any. */
export function useFirstNumber(): Session | undefined {
  const sessions = useQuery(sessionsQuery).data
  const webhooks = useQuery(webhooksQuery).data
  const hasWebhook = ({ phone }: Session) => webhooks?.some(webhook => webhook.phone === phone) === true
  return sessions?.find(hasWebhook) ?? sessions?.[0]
}

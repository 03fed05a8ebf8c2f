import { useQuery } from '@tanstack/react-query'
import type { Session } from './records.ts'
import { sessionsQuery } from './sessions.ts'
import { webhooksQuery } from './webhooks.ts'

/** The number for examples: one with a webhook if possible. */
export function useFirstNumber(): Session | undefined {
  const sessions = useQuery(sessionsQuery).data
  const webhooks = useQuery(webhooksQuery).data
  const hasWebhook = ({ phone }: Session) => webhooks?.some(webhook => webhook.phone === phone) === true
  return sessions?.find(hasWebhook) ?? sessions?.[0]
}

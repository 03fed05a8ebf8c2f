import { useQuery } from '@tanstack/react-query'
import { api, take } from './client.ts'
import { CATEGORIES, type Webhook } from './records.ts'
import { sessionsQuery } from './sessions.ts'
import { urlOf, webhooksQuery } from './webhooks.ts'

/** The steps of an account up to its first delivery. */
export interface Milestones {
  terms: boolean
  number: boolean
  key: boolean
  webhook: boolean
  message: boolean
  delivery: boolean
}

const AGAIN_MS = 3_000

interface Rows {
  data?: readonly unknown[] | undefined
}
const some = ({ data }: Rows) => (data?.length ?? 0) > 0
/** For records that arrive without an action here: refetched while there are none. */
const untilSome = ({ state }: { state: Rows }) => (some(state) ? false : AGAIN_MS)

const firstKey = {
  queryKey: ['first', 'keys'],
  queryFn: async () => (await take(api.GET('/v1/keys', { params: { query: { limit: 1 } } }))).data,
}
/** A message that was sent, not one that is queued or failed. The most likely state is requested first. */
const LEFT = ['read', 'delivered', 'sent', 'played'] as const
const firstMessage = {
  queryKey: ['first', 'messages'],
  queryFn: async () => {
    for (const state of LEFT) {
      const { data } = await take(api.GET('/v1/messages', { params: { query: { limit: 1, state } } }))
      if (data.length > 0) return data
    }
    return []
  },
  refetchInterval: untilSome,
}
const firstDelivery = {
  queryKey: ['first', 'deliveries'],
  queryFn: async () =>
    (await take(api.GET('/v1/deliveries', { params: { query: { limit: 1, status: 'delivered' } } }))).data,
  refetchInterval: untilSome,
}

const leadsSomewhere = (webhook: Webhook) =>
  webhook.active && CATEGORIES.some(category => urlOf(webhook, category) !== '')

/** The steps that the account has completed; null until they are known. Nothing can be requested before the Terms are accepted. */
export function useMilestones(terms: boolean): Milestones | null {
  const numbers = useQuery({ ...sessionsQuery, enabled: terms })
  const keys = useQuery({ ...firstKey, enabled: terms })
  const webhooks = useQuery({ ...webhooksQuery, enabled: terms })
  const messages = useQuery({ ...firstMessage, enabled: terms })
  const deliveries = useQuery({ ...firstDelivery, enabled: terms })
  if (terms && [numbers, keys, webhooks, messages, deliveries].some(query => query.isPending)) return null
  return {
    terms,
    number: numbers.data?.some(({ connected_at }) => connected_at !== null) === true,
    key: some(keys),
    webhook: webhooks.data?.some(leadsSomewhere) === true,
    message: some(messages),
    delivery: some(deliveries),
  }
}

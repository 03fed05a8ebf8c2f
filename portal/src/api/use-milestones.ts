import { useQuery } from '@tanstack/react-query'
import { api, take } from './client.ts'
import { sessionsQuery } from './sessions.ts'
import { webhooksQuery } from './webhooks.ts'

/** How far an account has come on the way to its first delivery. */
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
/** For what comes by itself: asked again while there is none. */
const untilSome = ({ state }: { state: Rows }) => (some(state) ? false : AGAIN_MS)

const firstKey = {
  queryKey: ['first', 'keys'],
  queryFn: async () => (await take(api.GET('/v1/keys', { params: { query: { limit: 1 } } }))).data,
}
const firstMessage = {
  queryKey: ['first', 'messages'],
  queryFn: async () => (await take(api.GET('/v1/messages', { params: { query: { limit: 1 } } }))).data,
  refetchInterval: untilSome,
}
const firstDelivery = {
  queryKey: ['first', 'deliveries'],
  queryFn: async () =>
    (await take(api.GET('/v1/deliveries', { params: { query: { limit: 1, status: 'delivered' } } }))).data,
  refetchInterval: untilSome,
}

/** What the account has reached; null until it is known. Before the Terms are accepted nothing can be asked. */
export function useMilestones(terms: boolean): Milestones | null {
  const numbers = useQuery({ ...sessionsQuery, enabled: terms })
  const keys = useQuery({ ...firstKey, enabled: terms })
  const webhooks = useQuery({ ...webhooksQuery, enabled: terms })
  const messages = useQuery({ ...firstMessage, enabled: terms })
  const deliveries = useQuery({ ...firstDelivery, enabled: terms })
  if (terms && [numbers, keys, webhooks, messages, deliveries].some(query => query.isPending)) return null
  return {
    terms,
    number: some(numbers),
    key: some(keys),
    webhook: some(webhooks),
    message: some(messages),
    delivery: some(deliveries),
  }
}

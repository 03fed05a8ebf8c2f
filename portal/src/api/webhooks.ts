import { queryOptions } from '@tanstack/react-query'
import { api, take } from './client.ts'
import { readAll } from './paging.ts'
import type { Category, Webhook } from './records.ts'
import { t } from '../t.ts'

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: () => readAll(cursor => take(api.GET('/v1/webhooks', { params: { query: { limit: 100, cursor } } }))),
  staleTime: 15_000,
})

export type UrlField = 'messages_url' | 'status_url' | 'connection_url' | 'events_url'
export const fieldOf = (category: Category): UrlField => `${category}_url`
export type Urls = Record<UrlField, string>
export const toOne = (url: string): Urls => ({
  messages_url: url,
  status_url: url,
  connection_url: url,
  events_url: url,
})
export const NOWHERE = t('Enter a URL: without one nothing would be sent.')
export const urlOf = (webhook: Webhook, category: Category): string => webhook[fieldOf(category)]

/** The categories in words (specification, Categories and routing). */
export const CATEGORY_WORDS: Record<Category, { title: string; what: string; kinds: string }> = {
  messages: { title: t('Messages'), what: t('Everything people write to your number.'), kinds: 'message' },
  status: { title: t('Status'), what: t('Status of the messages you sent.'), kinds: 'receipt, status' },
  connection: { title: t('Connection'), what: t('Your number connects, drops or is logged out.'), kinds: 'connection' },
  events: {
    title: t('Events'),
    what: t('Votes, typing, presence, calls and channel posts.'),
    kinds: 'poll_vote, typing, presence, call, newsletter_message',
  },
}

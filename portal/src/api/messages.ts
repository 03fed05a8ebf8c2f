import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, take } from './client.ts'
import { paging } from './paging.ts'
import type { Message, MessageState } from './records.ts'
import { bareId } from './sessions.ts'

export interface MessageFilter {
  number?: string
  state?: MessageState
}

export const messagesQuery = (filter: MessageFilter) =>
  infiniteQueryOptions({
    queryKey: ['messages', filter],
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/v1/messages', {
          params: { query: { limit: 100, cursor: pageParam, session_id: filter.number, state: filter.state } },
        }),
      ),
    ...paging,
  })

export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: ['message', id],
    queryFn: () => take(api.GET('/v1/messages/{id}', { params: { path: { id } } })),
  })

export const matchesMessage = (filter: MessageFilter, message: Message): boolean =>
  (filter.number === undefined || bareId(filter.number) === bareId(message.session_id)) &&
  (filter.state === undefined || filter.state === message.state)

/** What a failed message means and what can be done (specification, kind `status`). */
export const REASON_WORDS: Record<string, string> = {
  INVALID_RECIPIENT: 'The recipient is not on the platform. Check the number, with its country code.',
  MEDIA_FAILED:
    'The media could not be fetched or used. Check that the URL answers 200 without a redirect, is under 64 MB and fits media_type.',
  SEND_FAILED: 'The platform refused the message for good. Sending it again will not help.',
  RETRIES_EXHAUSTED: 'The link was down or the platform did not answer after several attempts. Send it again.',
}

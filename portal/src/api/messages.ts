import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { lookUp } from '../look-up.ts'
import { api, take } from './client.ts'
import { paging } from './paging.ts'
import type { Message, MessageState } from './records.ts'
import { bareId } from './sessions.ts'
import { t } from '../t.ts'

export interface MessageFilter {
  direction?: 'received'
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
  filter.direction === undefined &&
  (filter.number === undefined || bareId(filter.number) === bareId(message.session_id)) &&
  (filter.state === undefined || filter.state === message.state)

/** What a failed message means and what can be done (specification, kind `status`). */
const REASON_WORDS: Record<string, string> = {
  INVALID_RECIPIENT: t('The recipient is not on the platform. Check the number, with its country code.'),
  MEDIA_FAILED: t(
    'The media could not be fetched or used. Check that the URL answers 200 without a redirect, is under 64 MB and fits media_type.',
  ),
  SEND_FAILED: t('The platform refused the message. Sending the same message again will not help.'),
  RETRIES_EXHAUSTED: t(
    'The number had no connection, or the platform did not answer several attempts. Send the message again.',
  ),
}

const REASON_NAMES: Record<string, string> = {
  INVALID_RECIPIENT: t('Recipient not on the platform'),
  MEDIA_FAILED: t('Media could not be used'),
  SEND_FAILED: t('Refused by the platform'),
  RETRIES_EXHAUSTED: t('No connection or no answer in time'),
}

/** Temporary rejections, by the code of the platform. */
const PASSING: Record<string, string> = {
  '463': t(
    'For now this number may not write to people who have not written to it. The platform lifts this automatically: write less to strangers, and try again in a few hours, or wait until they write first.',
  ),
  '475': t(
    'This number has started as many new chats as the platform allows for now. Try again tomorrow. You can still answer people who write first.',
  ),
  '429': t(
    'The platform accepts no more messages from this number for now. Send more slowly and try again in a few minutes.',
  ),
}

type Held = NonNullable<Message['held_because']>

const HOLD_NAMES: Record<Held, string> = {
  pace: t('Waits for the pause between messages'),
  new_contacts: t('Waits: enough new people for now'),
  quiet_hours: t('Waits for the end of the quiet hours'),
}

/** Why the pace of its number holds a message, in a few words. */
export const holdName = (because: Held): string => HOLD_NAMES[because]

type Failed = Pick<Message, 'reason' | 'detail'>

const codeOf = ({ detail }: Failed): string => /\((\d{3})\)$/.exec(detail ?? '')?.[1] ?? ''

/** Why a message failed, in a few words. */
export function failureName(message: Failed): string {
  if (lookUp(PASSING, codeOf(message)) !== undefined) return t('Refused for now')
  return lookUp(REASON_NAMES, message.reason ?? '') ?? message.reason ?? t('unknown')
}

export interface MessageFailure {
  /** It may work later, without any change. */
  passes: boolean
  words: string
}

/** Why a message failed, and whether that will pass. */
export function messageFailure(message: Failed): MessageFailure | null {
  const { reason } = message
  if (reason === null) return null
  const passing = lookUp(PASSING, codeOf(message))
  if (passing !== undefined) return { passes: true, words: passing }
  return { passes: reason === 'RETRIES_EXHAUSTED', words: lookUp(REASON_WORDS, reason) ?? '' }
}

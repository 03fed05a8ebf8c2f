import { queryOptions } from '@tanstack/react-query'
import { api, take } from './client.ts'
import { readAll } from './paging.ts'
import type { Delivery, Endpoint, EndpointKind } from './records.ts'
import { t } from '../t.ts'

/** An account has at most 50, so one query has them all. */
export const endpointsQuery = queryOptions({
  queryKey: ['endpoints'],
  queryFn: () => readAll(cursor => take(api.GET('/v1/endpoints', { params: { query: { limit: 100, cursor } } }))),
  staleTime: 15_000,
})

/** What people call an endpoint: its description, else its address. */
export const nameOfEndpoint = ({ description, url, id }: Pick<Endpoint, 'description' | 'url' | 'id'>): string =>
  description || (url ?? id).replace(/^https?:\/\//, '').replace(/\?.*/s, '')

/** The kinds of events that an endpoint can get, in words. */
export const KIND_WORDS: Record<EndpointKind, string> = {
  message: t('Messages that people write to your numbers.'),
  status: t('A message was sent, or failed.'),
  receipt: t('A message was delivered, read or played.'),
  connection: t('Your number connects, drops or is logged out.'),
  poll_vote: t('Votes in your polls.'),
  call: t('Incoming calls.'),
  newsletter_message: t('Posts of channels.'),
  typing: t('People start and stop typing.'),
  presence: t('People come online and go offline.'),
  endpoint: t('Another endpoint fails, works again or is switched off.'),
  group: t('Changes of groups: members, name, settings.'),
  contact: t('Changes of people: name, picture, about, number.'),
  person: t('A number learns which phone number belongs to a hidden identifier.'),
  chat: t('Chats are archived, pinned, muted, marked or labelled on the phone.'),
  health: t('The platform warns, restricts or bans a number.'),
  newsletter: t('Changes of channels that your numbers follow or manage.'),
}
export const KINDS = Object.keys(KIND_WORDS) as EndpointKind[]

/** An endpoint without chosen kinds gets all of them but these. */
const ONLY_IF_CHOSEN: readonly EndpointKind[] = [
  'typing',
  'presence',
  'endpoint',
  'group',
  'contact',
  'person',
  'chat',
  'health',
  'newsletter',
]
export const USUAL_KINDS = KINDS.filter(kind => !ONLY_IF_CHOSEN.includes(kind))

/** What endpoints can get and webhooks never do. */
export const INCLUDE_WORDS: Record<string, { title: string; what: string }> = {
  own: {
    title: t('Messages from your own phone'),
    what: t(
      'What people write on the phone of the number or on another linked device. Not what you send through the API.',
    ),
  },
  context: {
    title: t('More about each message'),
    what: t(
      'Mentions, forwards, voice notes, contact cards, orders, invitations and the advertisement that led to it.',
    ),
  },
  group: { title: t('Changes of groups'), what: t('Changes of groups: members, name, settings.') },
  contact: { title: t('Changes of people'), what: t('Changes of people: name, picture, about, number.') },
  person: {
    title: t('Phone numbers of hidden identifiers'),
    what: t('A number learns which phone number belongs to a hidden identifier.'),
  },
  chat: {
    title: t('Changes of chats'),
    what: t('Chats are archived, pinned, muted, marked or labelled on the phone.'),
  },
  health: { title: t('Health of numbers'), what: t('The platform warns, restricts or bans a number.') },
  newsletter: {
    title: t('Changes of channels'),
    what: t('Changes of channels that your numbers follow or manage.'),
  },
  history: {
    title: t('Older messages'),
    what: t('Messages from before that you request from the phone of a number.'),
  },
}

export const TYPE_WORDS: Record<Endpoint['type'], string> = {
  webhook: t('The gateway posts events to a URL'),
  pull: t('Your program reads the events'),
}

export const DIRECTION_WORDS: Record<'' | NonNullable<Endpoint['direction']>, string> = {
  '': t('Both directions'),
  in: t('Only what people send to your numbers'),
  out: t('Only what your numbers send'),
}
export const SIGNATURE_WORDS: Record<NonNullable<Endpoint['signature']>, string> = {
  postern: t('Postern, like webhooks'),
  standard: 'Standard Webhooks',
}
export const RETRY_WORDS: Record<NonNullable<Endpoint['retry']>, string> = {
  eager: t('Eager: everything at once when it answers again'),
  ladder: t('Ladder: each delivery by its own schedule'),
}

/** Whether a delivery may have changed what the list says about its endpoint. */
export function changesHealth(endpoints: readonly Endpoint[] | undefined, delivery: Delivery): boolean {
  const endpoint = endpoints?.find(({ id }) => id === delivery.endpoint_id)
  if (endpoint === undefined || delivery.status === 'pending') return false
  if (delivery.status === 'dead') return endpoint.active
  return (delivery.status === 'delivered') === (endpoint.failing_since !== null)
}

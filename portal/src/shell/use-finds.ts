import { useInfiniteQuery } from '@tanstack/react-query'
import { Activity, MessageSquare, ScrollText } from 'lucide-react'
import { useEffect, useState } from 'react'
import { deliveriesQuery } from '../api/deliveries.ts'
import { eventName } from '../api/event-names.ts'
import { messagesQuery } from '../api/messages.ts'
import { rowsOf } from '../api/paging.ts'
import type { Delivery, LoggedRequest, Message } from '../api/records.ts'
import { requestsQuery } from '../api/requests.ts'
import { showJid } from '../api/sessions.ts'
import { mentions } from './mentions.ts'
import type { Command, Router } from './palette-commands.ts'
import { t } from '../t.ts'

/** Shorter terms would match nearly everything. */
const LEAST = 3
const MOST_OF_EACH = 8
const PAUSE_MS = 200

/** Messages, deliveries and requests of the API log that match the search term. */
export function useFinds(router: Router, text: string, admitted: boolean): Command[] {
  const words = useSettled(text)
  const searching = words.length >= LEAST
  // Refetched as soon as the palette opens, so that it finds recent records.
  const refetched = { enabled: admitted, refetchOnMount: 'always' } as const
  const messages = rowsOf(useInfiniteQuery({ ...messagesQuery({}), ...refetched }).data)
  const deliveries = rowsOf(useInfiniteQuery({ ...deliveriesQuery({}), ...refetched }).data)
  const dead = rowsOf(useInfiniteQuery({ ...deliveriesQuery({ status: 'dead' }), ...refetched }).data)
  const requests = useInfiniteQuery({ ...requestsQuery({ search: words }), enabled: admitted && searching })
  if (text.length < LEAST) return []
  const posted = [...new Map([...deliveries, ...dead].map(delivery => [delivery.id, delivery])).values()]
  return [
    ...messages.filter(message => isAboutMessage(text, message)).map(message => toMessage(router, message)),
    ...posted.filter(delivery => isAboutDelivery(text, delivery)).map(delivery => toDelivery(router, delivery)),
    ...(searching ? rowsOf(requests.data) : []).map(request => toRequest(router, request)),
  ].filter(atMostOfEach())
}

function atMostOfEach(): (command: Command) => boolean {
  const count = new Map<string, number>()
  return ({ group }) => {
    count.set(group, (count.get(group) ?? 0) + 1)
    return count.get(group)! <= MOST_OF_EACH
  }
}

const isAboutMessage = (text: string, message: Message): boolean =>
  mentions(text, [message.id, message.request_id, showJid(message.to), message.reason, message.detail])

const isAboutDelivery = (text: string, delivery: Delivery): boolean => {
  const last = delivery.attempts.at(-1)
  return mentions(text, [
    delivery.id,
    delivery.event_id,
    delivery.message_id,
    delivery.reason,
    ...(last?.status === 'failed' ? [last.error, String(last.code ?? '')] : []),
  ])
}

const toMessage = (router: Router, { id, to, state, reason }: Message): Command => ({
  key: id,
  name: `${showJid(to)} · ${reason ?? state} · ${id}`,
  group: t('Message'),
  icon: MessageSquare,
  run: () => void router.navigate({ to: '/messages/$id', params: { id } }),
})

const toDelivery = (router: Router, delivery: Delivery): Command => {
  const { id, code, attempts } = delivery
  return {
    key: id,
    name: [eventName(delivery), code ?? attempts.at(-1)?.error, id].filter(Boolean).join(' · '),
    group: t('Delivery'),
    icon: Activity,
    run: () => void router.navigate({ to: '/deliveries/$id', params: { id } }),
  }
}

const toRequest = (router: Router, { id, method, path, status, error, request_id }: LoggedRequest): Command => ({
  key: id,
  name: `${method} ${path} · ${status} ${error ?? ''} · ${request_id}`,
  group: t('Request'),
  icon: ScrollText,
  run: () => void router.navigate({ to: '/requests/$id', params: { id } }),
})

/** The search term, once the user pauses typing. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

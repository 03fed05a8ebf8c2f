import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { AlertTriangle, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { api, take } from '../api/client.ts'
import { endpointsQuery, nameOfEndpoint } from '../api/endpoints.ts'
import { failureWords } from '../api/failures.ts'
import { failureName } from '../api/messages.ts'
import type { Range, Session, Stats } from '../api/records.ts'
import { nameOf, sessionsQuery } from '../api/sessions.ts'
import { useNumberNames } from '../api/use-number-names.ts'
import { webhooksQuery } from '../api/webhooks.ts'
import { capitalized } from '../capitalized.ts'
import { count } from '../ui/numbers-format.ts'
import { Time, useNow } from '../ui/time.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

const RANGE_MS: Record<Range, number> = {
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
}

/** Whether everything that may need attention is loaded: later rows would push down what the user reads. */
export function useIsAttentionKnown(stats: Stats | undefined): boolean {
  const others = [useQuery(webhooksQuery), useQuery(endpointsQuery), useQuery(sessionsQuery), useQuery(latestFailed)]
  return stats !== undefined && others.every(query => !query.isPending)
}

interface Matter {
  key: string
  title: string
  what: ReactNode
  link: LinkProps
}

/** What needs attention: failing endpoints, numbers without a link, failed messages, dead letters. */
export function Attention({ stats, range }: { stats: Stats | undefined; range: Range }) {
  const matters = [
    ...useFailingWebhooks(stats),
    ...useFailingEndpoints(),
    ...useLostNumbers(),
    ...useFailedMessages(range, stats),
    ...deadLetters(stats),
  ]
  if (matters.length === 0) return null
  return (
    <section className="card border-danger/40" aria-labelledby="attention">
      <header className="flex items-center gap-2 border-b px-5 py-3">
        <AlertTriangle size={16} aria-hidden className="text-danger" />
        <h2 id="attention" className="font-semibold">
          {t('Needs attention')}
        </h2>
      </header>
      <ul className="divide-y">
        {matters.map(({ key, title, what, link }) => (
          <li key={key}>
            <Link {...link} className="flex items-center gap-3 px-5 py-2.5 hover:bg-raised">
              <span className="min-w-0 flex-1">
                <span className="block font-medium">{title}</span>
                <span className="block text-[13px] text-muted">{what}</span>
              </span>
              <ChevronRight size={16} aria-hidden className="shrink-0 text-muted" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function useFailingEndpoints(): Matter[] {
  const endpoints = useQuery(endpointsQuery).data ?? []
  return endpoints.flatMap(endpoint => {
    const name = nameOfEndpoint(endpoint)
    const link: LinkProps = { to: '/endpoints/$id', params: { id: endpoint.id } }
    if (endpoint.switched_off_at !== null)
      return {
        key: endpoint.id,
        title: t('Endpoint {name} is switched off', { name }),
        what: t('It failed for three days. Fix it, switch it on, then replay its dead letters.'),
        link,
      }
    if (!endpoint.active || endpoint.failing_since === null) return []
    return {
      key: endpoint.id,
      title: t('Endpoint {name} fails', { name }),
      what: rich('First failure {time}. Its latest deliveries show why.', {
        time: <Time at={endpoint.failing_since} />,
      }),
      link,
    }
  })
}

function useFailingWebhooks(stats: Stats | undefined): Matter[] {
  const webhooks = useQuery(webhooksQuery).data
  const nameOfNumber = useNumberNames()
  return (stats?.webhooks ?? []).flatMap(health => {
    const webhook = webhooks?.find(({ id }) => id === health.webhook_id)
    if (!health.failing || health.last_failure === null || webhook === undefined) return []
    const words = failureWords(health.last_failure)
    return {
      key: health.webhook_id,
      title: t('The endpoint of {name} fails', { name: nameOfNumber(webhook.session_id) }),
      what: (
        <>
          {words.name}, <Time at={health.last_failure.at} />. {words.cure}
        </>
      ),
      link: { to: '/deliveries', search: { webhook: webhook.id } },
    }
  })
}

function useLostNumbers(): Matter[] {
  const sessions = useQuery(sessionsQuery).data ?? []
  return sessions
    .filter(({ state, paused }) => (state === 'disconnected' && !paused) || state === 'logged_out')
    .map(session => ({
      key: session.id,
      title:
        session.state === 'logged_out'
          ? t('{name} is logged out', { name: nameOf(session) })
          : t('{name} has no connection', { name: nameOf(session) }),
      what: why(session),
      link: { to: '/numbers/$id', params: { id: session.id } },
    }))
}

function why({ reason, state }: Session): string {
  if (reason) return `${capitalized(reason)}.`
  return state === 'logged_out'
    ? t('The platform has unlinked it. Pair it again with the same phone.')
    : t('The gateway keeps trying. Check that the phone is online.')
}

const FEW = 10
const latestFailed = {
  queryKey: ['messages', 'latest failed'],
  queryFn: async () =>
    (await take(api.GET('/v1/messages', { params: { query: { limit: FEW, state: 'failed' } } }))).data,
}

function useFailedMessages(range: Range, stats: Stats | undefined): Matter[] {
  const now = useNow(60_000)
  const failed = useQuery(latestFailed).data ?? []
  const recent = failed.filter(({ created_at }) => Date.parse(created_at) > now - RANGE_MS[range])
  if (recent.length === 0) return []
  // Only a few rows are read; the totals count all.
  const n = recent.length < FEW ? recent.length : Math.max(FEW, stats?.totals.failed ?? 0)
  return [
    {
      key: 'messages',
      title: n === 1 ? t('1 message failed') : t('{count} messages failed', { count: count(n) }),
      what: [...new Set(recent.map(failureName))].join(' · '),
      link: { to: '/messages', search: { state: 'failed' } },
    },
  ]
}

function deadLetters(stats: Stats | undefined): Matter[] {
  const n = stats?.dead_letters ?? 0
  if (n === 0) return []
  return [
    {
      key: 'dead',
      title: n === 1 ? t('1 dead letter') : t('{count} dead letters', { count: count(n) }),
      what: t('They are kept. Fix the endpoint, then replay them.'),
      link: { to: '/deliveries', search: { status: 'dead' } },
    },
  ]
}

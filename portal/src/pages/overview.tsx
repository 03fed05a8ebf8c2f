import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Bucket, Range, Stats } from '../api/records.ts'
import { statsQuery } from '../api/stats.ts'
import { useVisitor } from '../api/use-visitor.ts'
import { Chart, type Series } from '../ui/chart.tsx'
import { Figure } from '../ui/figure.tsx'
import { count, milliseconds, percent, shortCount } from '../ui/numbers-format.ts'
import { ErrorNote, Notice, Page } from '../ui/page.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { Attention, useIsAttentionKnown } from './attention.tsx'
import { Onboarding } from './onboarding.tsx'
import { WebhookHealth } from './webhook-health.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

const RANGES: readonly { value: Range; label: string }[] = [
  { value: '1h', label: t('1 hour') },
  { value: '6h', label: t('6 hours') },
  { value: '24h', label: t('24 hours') },
  { value: '7d', label: t('7 days') },
  { value: '30d', label: t('30 days') },
]

const DAY_MS = 86_400_000

export function OverviewPage() {
  const { user, account } = useVisitor()
  const usual = usualRange(account.created_at)
  const { range = usual } = useSearch({ from: '/inside/' })
  const {
    data,
    error: readError,
    refetch,
  } = useQuery({ ...statsQuery(range), placeholderData: keepPreviousData, enabled: account.tos_accepted })
  // If a refetch fails, the old data stays; the frame says that it may be out of date.
  const error = data === undefined ? readError : null
  return (
    <Page
      title={t('Overview')}
      lead={t('Your numbers, their traffic, and what needs attention.')}
      action={<RangePicker range={range} usual={usual} />}
    >
      <div className="space-y-4">
        {!user.has_password && account.tos_accepted && <NoPassword />}
        <Onboarding skeleton={<OverviewSkeleton />}>
          {error && <ErrorNote error={error} retry={refetch} />}
          {!error && account.tos_accepted && <Situation stats={data} range={range} />}
        </Onboarding>
      </div>
    </Page>
  )
}

function Situation({ stats, range }: { stats: Stats | undefined; range: Range }) {
  if (!useIsAttentionKnown(stats)) return <OverviewSkeleton />
  return (
    <>
      <Attention stats={stats} range={range} />
      <Figures stats={stats} />
      <WebhookHealth stats={stats} />
      <Charts stats={stats} />
    </>
  )
}

/** A user who signed in with a link cannot use that link again. */
function NoPassword() {
  return (
    <Notice tone="calm">
      {rich('You have no password yet, and your sign-in link is valid only once. {link}', {
        link: (
          <Link to="/settings" className="font-medium underline underline-offset-2">
            {t('Set a password')}
          </Link>
        ),
      })}
    </Notice>
  )
}

function OverviewSkeleton() {
  return (
    <div aria-hidden className="space-y-4">
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        {[1, 2, 3, 4].map(figure => (
          <div key={figure} className="skeleton h-24" />
        ))}
      </div>
      <div className="grid gap-4 xl:grid-cols-2">
        {[1, 2, 3, 4].map(chart => (
          <div key={chart} className="skeleton h-64" />
        ))}
      </div>
    </div>
  )
}

/** For a new account, a chart of a whole day would be empty except for its end. */
const usualRange = (createdAt: string): Range => (Date.now() - Date.parse(createdAt) < DAY_MS ? '1h' : '24h')

function RangePicker({ range, usual }: { range: Range; usual: Range }) {
  const navigate = useNavigate({ from: '/' })
  return (
    <Segmented<Range>
      label={t('Time range')}
      value={range}
      choices={RANGES}
      onChange={next => void navigate({ search: next === usual ? {} : { range: next } })}
    />
  )
}

function Figures({ stats }: { stats: Stats | undefined }) {
  const totals = stats?.totals
  const attempts = totals ? totals.delivered + totals.delivery_failed : 0
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure
        name={t('Numbers connected')}
        link={{ to: '/numbers' }}
        value={stats && t('{used} of {of}', { used: count(stats.numbers.connected), of: count(stats.numbers.total) })}
      />
      <Figure
        name={t('Messages sent')}
        link={{ to: '/messages' }}
        value={totals && count(totals.sent)}
        note={totals && t('{received} received', { received: count(totals.received) })}
      />
      <Figure
        name={t('Failed attempts')}
        link={{ to: '/deliveries' }}
        value={totals && percent(totals.delivery_failed, attempts)}
        note={totals && t('{delivered} delivered', { delivered: count(totals.delivered) })}
      />
      <Figure
        name={t('Dead letters')}
        link={{ to: '/deliveries', search: { status: 'dead' } }}
        value={stats && count(stats.dead_letters)}
        note={stats && (stats.dead_letters > 0 ? t('Needs attention') : t('Nothing was lost'))}
        bad={(stats?.dead_letters ?? 0) > 0}
      />
    </div>
  )
}

const NO_BUCKETS: Bucket[] = []

function Charts({ stats }: { stats: Stats | undefined }) {
  const buckets = stats?.buckets ?? NO_BUCKETS
  const times = useMemo(() => buckets.map(bucket => Date.parse(bucket.at) / 1000), [buckets])
  const lines = useMemo(() => linesOf(buckets), [buckets])
  return (
    <div className="grid gap-4 xl:grid-cols-2">
      <Chart title={t('Messages')} times={times} series={lines.messages} format={shortCount} />
      <Chart title={t('Deliveries')} times={times} series={lines.deliveries} format={shortCount} />
      <Chart title={t('Latency of your endpoints')} times={times} series={lines.latency} format={milliseconds} />
      <Chart title={t('Errors')} times={times} series={lines.errors} format={shortCount} />
    </div>
  )
}

function linesOf(buckets: readonly Bucket[]): Record<'messages' | 'deliveries' | 'latency' | 'errors', Series[]> {
  const line = (name: string, colour: Series['colour'], field: keyof Omit<Bucket, 'at'>): Series => ({
    name,
    colour,
    values: buckets.map(bucket => bucket[field]),
  })
  return {
    messages: [line(t('Sent ¦ messages'), 1, 'sent'), line(t('Received'), 2, 'received')],
    deliveries: [line(t('Delivered'), 1, 'delivered'), line(t('Failed attempts'), 3, 'delivery_failed')],
    latency: [line(t('Median'), 1, 'latency_p50_ms'), line(t('Slowest 5 %'), 4, 'latency_p95_ms')],
    errors: [line(t('Failed messages'), 4, 'failed'), line(t('Failed attempts'), 3, 'delivery_failed')],
  }
}

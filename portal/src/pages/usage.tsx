import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, take } from '../api/client.ts'
import type { Me, UsageDay } from '../api/records.ts'
import { sessionsQuery } from '../api/sessions.ts'
import { capitalized } from '../capitalized.ts'
import { Chart, type Series } from '../ui/chart.tsx'
import { count, shortCount } from '../ui/numbers-format.ts'
import { ErrorNote, Facts, Page, Section } from '../ui/page.tsx'
import { type Column, Table, TableSkeleton } from '../ui/table.tsx'
import { dayName, monthName } from '../ui/time.tsx'
import { t } from '../t.ts'

const DAYS = 30
const DAY_MS = 86_400_000

const meQuery = { queryKey: ['me'], queryFn: () => take(api.GET('/v1/me')) }
const usageQuery = { queryKey: ['usage'], queryFn: () => take(api.GET('/v1/usage')) }

const columns: Column<UsageDay>[] = [
  { header: t('Day (UTC)'), cell: day => dayName(day.day) },
  { header: t('Accepted ¦ messages'), className: 'text-right', cell: day => count(day.accepted) },
  { header: t('Sent ¦ messages'), className: 'text-right', cell: day => count(day.sent) },
  { header: t('Failed ¦ messages'), className: 'text-right', from: 'sm', cell: day => count(day.failed) },
  { header: t('Received'), className: 'text-right', from: 'sm', cell: day => count(day.received) },
  { header: t('Deliveries'), className: 'text-right', from: 'md', cell: day => count(day.deliveries) },
]

export function UsagePage() {
  const me = useQuery(meQuery)
  const usage = useQuery(usageQuery)
  const days = useMemo(() => everyDay(usage.data?.data ?? []), [usage.data])
  const latestFirst = useMemo(() => days.filter(isUsed).toReversed(), [days])
  // A UTC day is drawn at the same date of the local time zone, so that its label is the same everywhere.
  const times = useMemo(() => days.map(day => Date.parse(`${day.day}T00:00`) / 1000), [days])
  const series = useMemo<Series[]>(
    () => [
      { name: t('Accepted ¦ messages'), colour: 1, values: days.map(day => day.accepted) },
      { name: t('Received'), colour: 2, values: days.map(day => day.received) },
    ],
    [days],
  )
  const error = me.error ?? usage.error
  return (
    <Page title={t('Usage')} lead={t('What you have used this month, against what your plan allows.')}>
      {error && <ErrorNote error={error} retry={() => Promise.all([me.refetch(), usage.refetch()])} />}
      {!error && (me.data === undefined || usage.isPending) && <UsageSkeleton />}
      {!error && me.data !== undefined && !usage.isPending && (
        <div className="space-y-4">
          <Plan me={me.data} />
          {latestFirst.length > 0 && (
            <>
              <Chart title={t('Messages by day')} times={times} series={series} format={shortCount} daily />
              <Table label={t('Usage by day')} rows={latestFirst} columns={columns} rowKey={day => day.day} />
            </>
          )}
        </div>
      )}
    </Page>
  )
}

function UsageSkeleton() {
  return (
    <section aria-hidden className="space-y-4">
      <div className="grid gap-4 lg:grid-cols-2">
        <div className="skeleton h-56" />
        <div className="skeleton h-56" />
      </div>
      <div className="skeleton h-64" />
      <TableSkeleton />
    </section>
  )
}

function Plan({ me }: { me: Me }) {
  const sessions = useQuery(sessionsQuery).data
  const linked = sessions?.filter(session => session.platform !== 'sandbox').length ?? 0
  const { limits, usage } = me
  const rate = (perSecond: number | null, burst: number | null) =>
    perSecond === null
      ? t('No limit')
      : t('{rate} per second, bursts of {burst}', { rate: count(perSecond), burst: count(burst ?? perSecond) })
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Section title={monthName(usage.period)}>
        <div className="space-y-5">
          <Meter name={t('Messages')} used={usage.messages} of={usage.quota} />
          <Meter name={t('Linked numbers')} used={linked} of={limits.sessions} />
        </div>
      </Section>
      <Section title={t('The {plan} plan', { plan: capitalized(me.account.plan) })}>
        <Facts
          facts={[
            [t('Messages'), rate(limits.messages_per_second, limits.messages_burst)],
            [
              t('Requests'),
              t('{requestspersecond} per key', {
                requestspersecond: rate(limits.requests_per_second, limits.requests_burst),
              }),
            ],
            [t('All keys together'), rate(limits.account_requests_per_second, limits.account_requests_burst)],
            [
              t('Per month'),
              limits.messages_per_month === null
                ? t('No limit')
                : t('{count} messages', { count: count(limits.messages_per_month) }),
            ],
            [
              t('Numbers'),
              limits.sessions === null
                ? t('No limit')
                : t('{count}, not counting sandbox numbers', { count: count(limits.sessions) }),
            ],
            [t('API keys'), limits.keys === null ? t('No limit') : count(limits.keys)],
            [
              t('Queued messages'),
              limits.waiting_messages === null
                ? t('No limit')
                : t('{count} messages', { count: count(limits.waiting_messages) }),
            ],
          ]}
        />
        <p className="mt-4 text-[13px] text-muted">
          {t('Beyond a limit the gateway answers 429 and says in Retry-After how long to wait.')}
        </p>
      </Section>
    </div>
  )
}

function Meter({ name, used, of }: { name: string; used: number; of: number | null }) {
  return (
    <div>
      <p className="mb-1.5 flex justify-between gap-4">
        <span className="font-medium">{name}</span>
        <span className="text-muted">
          {of === null
            ? t('{count}, no limit', { count: count(used) })
            : t('{used} of {of}', { used: count(used), of: count(of) })}
        </span>
      </p>
      {of !== null && (
        <div
          role="meter"
          aria-label={name}
          aria-valuemin={0}
          aria-valuemax={of}
          aria-valuenow={used}
          className="h-2 overflow-hidden rounded-full bg-raised"
        >
          <div
            className={used >= of * 0.9 ? 'h-full bg-waiting' : 'h-full bg-accent'}
            style={{ width: `${Math.min(100, (100 * used) / Math.max(1, of))}%` }}
          />
        </div>
      )}
    </div>
  )
}

const isUsed = ({ day: _day, ...counts }: UsageDay): boolean => Object.values(counts).some(n => n > 0)

/** Days without use are shown as zero in the chart, not left out. */
function everyDay(days: readonly UsageDay[]): UsageDay[] {
  const byDay = new Map(days.map(day => [day.day, day]))
  return Array.from({ length: DAYS }, (_, index) => {
    const day = new Date(Date.now() - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10)
    return byDay.get(day) ?? { day, accepted: 0, sent: 0, failed: 0, received: 0, deliveries: 0 }
  })
}

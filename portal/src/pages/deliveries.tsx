import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Activity, Repeat } from 'lucide-react'
import { useMemo, useState } from 'react'
import { type DeliveryFilter, deliveriesQuery, matches } from '../api/deliveries.ts'
import { endpointsQuery, nameOfEndpoint } from '../api/endpoints.ts'
import { eventName } from '../api/event-names.ts'
import { pagedList } from '../api/list-source.ts'
import { targetOf } from '../api/posted-request.ts'
import type { Delivery, Endpoint, EventType, Webhook } from '../api/records.ts'
import { nameOf } from '../api/sessions.ts'
import { useFirstNumber } from '../api/use-first-number.ts'
import { useLiveRows } from '../api/use-live-rows.ts'
import { useNumberChoices } from '../api/use-number-choices.ts'
import { useNumberNames } from '../api/use-number-names.ts'
import { webhooksQuery } from '../api/webhooks.ts'
import { Replay } from '../dialogs/replay.tsx'
import { sendCurl } from '../dialogs/send-curl.ts'
import { FIRST_CONTACT } from '../phone/chats.ts'
import { DeliveryStatusMark } from '../records/status-marks.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { CopyId } from '../ui/copy.tsx'
import type { Choice } from '../ui/field.tsx'
import { type FilterField, Filters } from '../ui/filters.tsx'
import { FindById } from '../ui/find-by-id.tsx'
import { List } from '../ui/list.tsx'
import { milliseconds } from '../ui/numbers-format.ts'
import { Empty, Page } from '../ui/page.tsx'
import { RowLink } from '../ui/row-link.tsx'
import type { Column } from '../ui/table.tsx'
import { Countdown, Time } from '../ui/time.tsx'
import { t } from '../t.ts'

export const TYPE_WORDS: Record<EventType, string> = {
  incoming_message: t('Incoming message'),
  message_status: t('Message status'),
  outbound_failure: t('Outbound failure'),
  connection_status: t('Connection status'),
  other: t('Other event'),
}

const RESULTS = [
  { value: '', label: t('Any result') },
  { value: 'delivered', label: t('Delivered') },
  { value: 'pending', label: t('Pending') },
  { value: 'failed', label: t('Retrying') },
  { value: 'dead', label: t('Dead letters') },
]
const TYPES = [
  { value: '', label: t('Any event') },
  ...Object.entries(TYPE_WORDS).map(([value, label]) => ({ value, label })),
]
const fieldsOf = (numbers: Choice[], endpoints: readonly Endpoint[]): FilterField<DeliveryFilter>[] => [
  { name: 'status', label: t('Result'), kind: 'choice', choices: RESULTS },
  { name: 'type', label: t('Event'), kind: 'choice', choices: TYPES },
  { name: 'number', label: t('Number'), kind: 'choice', choices: numbers },
  ...(endpoints.length === 0
    ? []
    : [{ name: 'endpoint', label: t('Endpoint'), kind: 'choice', choices: receivers(endpoints) } as const]),
]
const receivers = (endpoints: readonly Endpoint[]): Choice[] => [
  { value: '', label: t('All receivers') },
  ...endpoints.map(endpoint => ({ value: endpoint.id, label: nameOfEndpoint(endpoint) })),
]

/** Where deliveries go. */
interface Receivers {
  webhooks: readonly Webhook[] | undefined
  endpoints: readonly Endpoint[] | undefined
}

/** Without receivers there is no column for the URL. */
export const deliveryColumns = (
  nameOfNumber: (sessionId: string) => string,
  receivers: Receivers | undefined,
  search?: DeliveryFilter,
): Column<Delivery>[] => [
  {
    header: t('Event'),
    width: 'flex-2',
    cell: delivery => (
      <RowLink
        list="/deliveries"
        id={delivery.id}
        search={search && { ...search }}
        title={TYPE_WORDS[delivery.event_type]}
      >
        <code className="font-mono text-[12px] max-sm:text-[11px]">{eventName(delivery)}</code>
        <span className="sr-only"> {TYPE_WORDS[delivery.event_type]}</span>
        {delivery.origin !== 'event' && (
          <span className="ml-2 font-normal text-muted">
            {delivery.origin === 'resend' ? t('resent') : t('replayed')}
          </span>
        )}
      </RowLink>
    ),
  },
  { header: t('Result'), width: 'w-33', cell: delivery => <DeliveryStatusMark delivery={delivery} /> },
  {
    header: t('Answer'),
    from: 'sm',
    width: 'w-28',
    has: ({ attempts }) => attempts.length > 0,
    cell: delivery => delivery.code ?? delivery.attempts.at(-1)?.error,
  },
  ...(receivers
    ? [
        {
          header: 'URL',
          from: 'md',
          width: 'flex-2',
          cell: delivery => <Target url={targetOf(delivery, receivers.webhooks, receivers.endpoints)} />,
        } satisfies Column<Delivery>,
      ]
    : []),
  { header: t('Number'), from: 'md', width: 'w-36', cell: delivery => nameOfNumber(delivery.session_id) },
  { header: t('Attempts'), from: 'lg', width: 'w-36', cell: delivery => <Attempts delivery={delivery} /> },
  {
    header: t('Latency'),
    from: 'xl',
    width: 'w-20',
    has: ({ attempts }) => attempts.length > 0,
    cell: delivery => {
      const last = delivery.attempts.at(-1)
      return last && milliseconds(last.latency_ms)
    },
  },
  { header: t('Id'), from: '2xl', width: 'flex-2', cell: delivery => <CopyId id={delivery.id} className="-ml-1" /> },
  { header: t('Time'), width: 'w-26 sm:w-28', cell: delivery => <Time at={delivery.created_at} /> },
]

/** The end of a URL says more than its beginning, so a narrow column drops the scheme first and then shortens the host. */
function Target({ url }: { url: string }) {
  const [, host = '', path = ''] = /^https?:\/\/([^/]*)(.*)$/.exec(url) ?? []
  if (host === '') return null
  return (
    <span title={url} className="flex font-mono text-[12px] text-muted">
      <span className="min-w-0 truncate">{host}</span>
      <span className="max-w-[85%] shrink-0 truncate">{path}</span>
    </span>
  )
}

function Attempts({ delivery }: { delivery: Delivery }) {
  const { length } = delivery.attempts
  // An eager endpoint gets a delivery as often as it takes.
  const made = delivery.endpoint_id === null ? t('{count} of 4', { count: length }) : String(length)
  if (delivery.status !== 'failed' || !delivery.next_attempt_at) return made
  return (
    <>
      {made}, <Countdown at={delivery.next_attempt_at} />
    </>
  )
}

export function DeliveriesPage() {
  const filter = useSearch({ from: '/inside/deliveries' })
  const { id } = useParams({ strict: false })
  const navigate = useNavigate()
  const query = deliveriesQuery(filter)
  const deliveries = pagedList(useInfiniteQuery(query))
  const webhooks = useQuery(webhooksQuery).data
  const nameOfNumber = useNumberNames()
  const endpoints = useQuery(endpointsQuery).data
  const fields = fieldsOf(useNumberChoices(), endpoints ?? [])
  const columns = useMemo(
    () => deliveryColumns(nameOfNumber, { webhooks, endpoints }),
    [nameOfNumber, webhooks, endpoints],
  )
  const all = [
    ...(webhooks ?? []).map(({ id: webhookId, session_id }) => ({ id: webhookId, name: nameOfNumber(session_id) })),
    ...(endpoints ?? []).map(endpoint => ({ id: endpoint.id, name: nameOfEndpoint(endpoint) })),
  ]
  const [replaying, setReplaying] = useState(false)
  const fresh = useLiveRows('delivery', query.queryKey, delivery => matches(filter, delivery))
  return (
    <Page
      title={t('Deliveries')}
      lead={t('Every event that was posted to your endpoints, as it happens. Typing is posted too, but not recorded.')}
      filters={
        <>
          <Filters
            fields={fields}
            filter={filter}
            byTime
            onChange={search => void navigate({ to: '/deliveries', search })}
          />
          <FindById list="/deliveries" prefix="dlv_" />
        </>
      }
      action={
        <Button icon={Repeat} disabled={all.length === 0} onClick={() => setReplaying(true)}>
          {t('Replay')}
        </Button>
      }
    >
      <List
        label={t('Deliveries')}
        source={deliveries}
        fresh={fresh}
        columns={columns}
        rowKey={row => row.id}
        current={id}
        onOpen={row => void navigate({ to: '/deliveries/$id', params: { id: row.id }, search: filter })}
        expected={10}
        empty={<NoDeliveries filter={filter} />}
      />
      {replaying && <Replay receivers={all} onClose={() => setReplaying(false)} />}
      <Outlet />
    </Page>
  )
}

function NoDeliveries({ filter }: { filter: DeliveryFilter }) {
  const first = useFirstNumber()
  if (Object.keys(filter).length > 0) {
    return (
      <Empty
        icon={Activity}
        title={filter.status === 'dead' ? t('No dead letters') : t('Nothing matches')}
        actions={<ButtonLink to="/deliveries">{t('Show all deliveries')}</ButtonLink>}
      >
        {filter.status === 'dead'
          ? t('Every event has reached your endpoint, or is still being tried.')
          : t('No delivery in the history matches these filters.')}
      </Empty>
    )
  }
  return (
    <Empty
      icon={Activity}
      title={t('No delivery yet')}
      actions={
        <ButtonLink look="primary" to={first ? '/webhooks/new' : '/numbers'}>
          {first ? t('Set a webhook') : t('Add a number')}
        </ButtonLink>
      }
    >
      <p className="mb-4">
        {t(
          'Set a webhook, then send a message: the gateway posts its receipts to you, and they appear here within a second.',
        )}
      </p>
      {first && (
        <CodeBlock
          label={t('Send from {name}', { name: nameOf(first) })}
          code={sendCurl(first.id, FIRST_CONTACT, 'Hello')}
        />
      )}
    </Empty>
  )
}

import { useInfiniteQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { pagedList } from '../api/list-source.ts'
import type { LoggedRequest } from '../api/records.ts'
import { matchesRequest, type RequestFilter, requestsQuery } from '../api/requests.ts'
import { useKeyNames } from '../api/use-key-names.ts'
import { useLiveRows } from '../api/use-live-rows.ts'
import { RequestStatusMark } from '../records/request-status.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { type FilterField, Filters } from '../ui/filters.tsx'
import { List } from '../ui/list.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { RowLink } from '../ui/row-link.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { milliseconds } from '../ui/numbers-format.ts'
import { t } from '../t.ts'

const STATUSES = [
  { value: '', label: t('Any status') },
  { value: '2xx', label: t('Succeeded') },
  { value: '4xx', label: t('Refused (4xx)') },
  { value: '5xx', label: t('Failed (5xx)') },
]
const METHODS = [
  { value: '', label: t('Any method') },
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map(method => ({ value: method, label: method })),
]
const PATHS = [
  { value: '', label: t('Any path') },
  ...['messages', 'sessions', 'pairings', 'webhooks', 'deliveries', 'keys', 'sandbox'].map(part => ({
    value: `/${part}`,
    label: `/${part}`,
  })),
]

const fieldsOf = (keys: ReadonlyMap<string, string>): FilterField<RequestFilter>[] => [
  { name: 'status', label: t('Status'), kind: 'choice', choices: STATUSES },
  { name: 'method', label: t('Method'), kind: 'choice', choices: METHODS },
  { name: 'path', label: t('Path'), kind: 'choice', choices: PATHS },
  {
    name: 'key',
    label: t('Key'),
    kind: 'choice',
    choices: [{ value: '', label: t('Any key') }, ...[...keys].map(([value, label]) => ({ value, label }))],
  },
  { name: 'reads', label: t('Show reads (GET)'), kind: 'check', value: 'show' },
  { name: 'search', label: t('Request id, error or code'), kind: 'text' },
]

const columnsOf = (keys: ReadonlyMap<string, string>): Column<LoggedRequest>[] => [
  { header: t('Status'), width: 'w-20', cell: request => <RequestStatusMark status={request.status} /> },
  {
    header: t('Request'),
    width: 'flex-2',
    cell: request => (
      <RowLink list="/requests" id={request.id} title={request.path} className="block truncate font-mono text-[13px]">
        {request.method} {request.path}
      </RowLink>
    ),
  },
  { header: t('Error'), from: 'lg', width: 'w-48', has: ({ code }) => code !== null, cell: ({ code }) => code },
  { header: t('Key'), from: 'md', width: 'w-32', cell: request => keys.get(request.key_id) ?? request.key_id },
  {
    header: t('Latency'),
    from: 'md',
    width: 'w-24',
    cell: request => milliseconds(request.latency_ms),
  },
  { header: t('Time'), width: 'w-26 sm:w-28', cell: request => <Time at={request.created_at} /> },
]

export function RequestsPage() {
  const filter = useSearch({ from: '/inside/requests' })
  const { id } = useParams({ strict: false })
  const navigate = useNavigate()
  const keys = useKeyNames()
  const query = requestsQuery(filter)
  const requests = pagedList(useInfiniteQuery(query))
  const fresh = useLiveRows('request', query.queryKey, request => matchesRequest(filter, request))
  return (
    <Page
      title={t('API log')}
      lead={t('Requests of your programs in the last three days, with their answers. Bodies are not kept.')}
      filters={
        <Filters
          fields={fieldsOf(keys)}
          filter={filter}
          byTime
          onChange={search => void navigate({ to: '/requests', search })}
        />
      }
    >
      <List
        label={t('Requests')}
        source={requests}
        fresh={fresh}
        columns={columnsOf(keys)}
        rowKey={row => row.id}
        current={id}
        onOpen={row => void navigate({ to: '/requests/$id', params: { id: row.id }, search: filter })}
        expected={10}
        empty={
          <NoRequests
            filtered={Object.keys(filter).some(name => name !== 'reads')}
            reads={filter.reads !== undefined}
          />
        }
      />
      <Outlet />
    </Page>
  )
}

function NoRequests({ filtered, reads }: { filtered: boolean; reads: boolean }) {
  if (filtered) {
    return (
      <Empty
        icon={ScrollText}
        title={t('Nothing matches')}
        actions={<ButtonLink to="/requests">{t('Show all requests')}</ButtonLink>}
      >
        {t('No request matches these filters.')}
      </Empty>
    )
  }
  const curl = `curl ${window.location.origin}/v1/me \\\n  -H "Authorization: Bearer $POSTERN_API_KEY"`
  return (
    <Empty
      icon={ScrollText}
      title={t('No request yet')}
      actions={
        <>
          {!reads && (
            <ButtonLink to="/requests" search={{ reads: 'show' }}>
              {t('Show reads (GET)')}
            </ButtonLink>
          )}
          <ButtonLink look="primary" to="/keys">
            {t('Make a key')}
          </ButtonLink>
        </>
      }
    >
      <p className="mb-4">
        {t(
          'Each request with one of your keys, and each command that changes something, appears here a second after its response. Successful reads are hidden.',
        )}
      </p>
      <CodeBlock label={t('Make one')} code={curl} />
    </Empty>
  )
}

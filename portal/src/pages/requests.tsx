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

const STATUSES = [
  { value: '', label: 'Any status' },
  { value: '2xx', label: 'Succeeded' },
  { value: '4xx', label: 'Refused (4xx)' },
  { value: '5xx', label: 'Failed (5xx)' },
]
const METHODS = [
  { value: '', label: 'Any method' },
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map(method => ({ value: method, label: method })),
]
const PATHS = [
  { value: '', label: 'Any path' },
  ...['messages', 'sessions', 'pairings', 'webhooks', 'deliveries', 'keys', 'sandbox'].map(part => ({
    value: `/${part}`,
    label: `/${part}`,
  })),
]

const fieldsOf = (keys: ReadonlyMap<string, string>): FilterField<RequestFilter>[] => [
  { name: 'status', label: 'Status', kind: 'choice', choices: STATUSES },
  { name: 'method', label: 'Method', kind: 'choice', choices: METHODS },
  { name: 'path', label: 'Path', kind: 'choice', choices: PATHS },
  {
    name: 'key',
    label: 'Key',
    kind: 'choice',
    choices: [{ value: '', label: 'Any key' }, ...[...keys].map(([value, label]) => ({ value, label }))],
  },
  { name: 'search', label: 'Request id, error or code', kind: 'text' },
]

const columnsOf = (keys: ReadonlyMap<string, string>): Column<LoggedRequest>[] => [
  { header: 'Status', width: 'w-20', cell: request => <RequestStatusMark status={request.status} /> },
  {
    header: 'Request',
    width: 'flex-2',
    cell: request => (
      <RowLink list="/requests" id={request.id} title={request.path} className="block truncate font-mono text-[13px]">
        {request.method} {request.path}
      </RowLink>
    ),
  },
  { header: 'Error', from: 'lg', width: 'w-48', cell: request => request.code ?? '–' },
  { header: 'Key', from: 'md', width: 'w-32', cell: request => keys.get(request.key_id) ?? request.key_id },
  { header: 'Latency', from: 'md', width: 'w-24', cell: request => `${Math.round(request.latency_ms)} ms` },
  { header: 'Time', width: 'w-24', cell: request => <Time at={request.created_at} /> },
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
      title="API log"
      lead="What your keys asked for in the last three days, and how it was answered. Bodies are not kept."
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
        label="Requests"
        source={requests}
        fresh={fresh}
        columns={columnsOf(keys)}
        rowKey={row => row.id}
        current={id}
        onOpen={row => void navigate({ to: '/requests/$id', params: { id: row.id }, search: filter })}
        expected={10}
        empty={<NoRequests filtered={Object.keys(filter).length > 0} />}
      />
      <Outlet />
    </Page>
  )
}

function NoRequests({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <Empty
        icon={ScrollText}
        title="Nothing matches"
        actions={<ButtonLink to="/requests">Show all requests</ButtonLink>}
      >
        No request fits these filters.
      </Empty>
    )
  }
  const curl = `curl ${window.location.origin}/v1/me \\\n  -H "Authorization: Bearer $API_KEY"`
  return (
    <Empty
      icon={ScrollText}
      title="No request yet"
      actions={
        <ButtonLink look="primary" to="/keys">
          Make a key
        </ButtonLink>
      }
    >
      <p className="mb-4">Each request with one of your keys shows here a second after it was answered.</p>
      <CodeBlock label="Make one" code={curl} />
    </Empty>
  )
}

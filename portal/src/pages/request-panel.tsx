import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { rowsOf } from '../api/paging.ts'
import type { LoggedRequest } from '../api/records.ts'
import { requestQuery, requestsQuery } from '../api/requests.ts'
import { useKeyNames } from '../api/use-key-names.ts'
import { RequestStatusMark } from '../records/request-status.tsx'
import { CopyId } from '../ui/copy.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Facts, Notice } from '../ui/page.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { ExactTime } from '../ui/time.tsx'

export function RequestPanel() {
  const { id } = useParams({ from: '/inside/requests/$id' })
  const filter = useSearch({ from: '/inside/requests' })
  const rows = rowsOf(useInfiniteQuery(requestsQuery(filter)).data)
  const query = useQuery(requestQuery(id))
  const request = query.data
  const navigate = useNavigate()
  const at = rows.findIndex(row => row.id === id)
  const stepTo = (row: LoggedRequest | undefined) =>
    row && (() => void navigate({ to: '/requests/$id', params: { id: row.id }, search: true, replace: true }))
  return (
    <SidePanel
      title={request ? `${request.method} ${request.route}` : 'Request'}
      subject={id}
      onClose={() => void navigate({ to: '/requests', search: true })}
      onPrevious={stepTo(rows[at - 1])}
      onNext={at === -1 ? undefined : stepTo(rows[at + 1])}
    >
      <Loaded query={query} skeleton={<div aria-hidden className="skeleton h-60" />}>
        {shown => <Details request={shown} />}
      </Loaded>
    </SidePanel>
  )
}

function Details({ request }: { request: LoggedRequest }) {
  const keys = useKeyNames()
  return (
    <div className="space-y-6">
      {request.error && (
        <Notice tone={request.status >= 500 ? 'bad' : 'waiting'}>
          <p>{request.error}</p>
          {request.code && (
            <a className="mt-1 block underline" href={`/docs/errors#${request.code}`}>
              What {request.code} means, and the cure
            </a>
          )}
        </Notice>
      )}
      <Facts
        facts={[
          ['Status', <RequestStatusMark key="status" status={request.status} />],
          ['Path', <CopyId key="path" id={request.path} className="-ml-1" />],
          ['Request id', <CopyId key="request" id={request.request_id} className="-ml-1" />],
          ['Key', keys.get(request.key_id) ?? request.key_id],
          ['Latency', `${request.latency_ms} ms`],
          ['Answered', <ExactTime key="at" at={request.created_at} />],
        ]}
      />
      <p className="text-[13px] text-muted">Bodies, queries and headers are not kept.</p>
    </div>
  )
}

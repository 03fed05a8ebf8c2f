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
import { milliseconds } from '../ui/numbers-format.ts'
import { t } from '../t.ts'

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
      title={request ? `${request.method} ${request.route}` : t('Request')}
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
              {t('What {code} means and what to do', { code: request.code })}
            </a>
          )}
        </Notice>
      )}
      <Facts
        facts={[
          [t('Status'), <RequestStatusMark key="status" status={request.status} />],
          [t('Path'), <CopyId key="path" id={request.path} className="-ml-1" />],
          [t('Request id'), <CopyId key="request" id={request.request_id} className="-ml-1" />],
          [t('Key'), keys.get(request.key_id) ?? request.key_id],
          [t('Latency'), milliseconds(request.latency_ms)],
          [t('Answered'), <ExactTime key="at" at={request.created_at} />],
        ]}
      />
      <p className="text-[13px] text-muted">{t('Bodies, queries and headers are not kept.')}</p>
    </div>
  )
}

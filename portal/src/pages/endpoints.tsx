import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, Radio } from 'lucide-react'
import { useMemo } from 'react'
import { endpointsQuery, nameOfEndpoint, TYPE_WORDS } from '../api/endpoints.ts'
import { wholeList } from '../api/list-source.ts'
import type { Endpoint } from '../api/records.ts'
import { useNumberNames } from '../api/use-number-names.ts'
import { CreateEndpoint } from '../dialogs/edit-endpoint.tsx'
import { EndpointStatus } from '../records/status-marks.tsx'
import { Button } from '../ui/button.tsx'
import { List } from '../ui/list.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { RowLink } from '../ui/row-link.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { t } from '../t.ts'

const columnsOf = (nameOfNumber: (sessionId: string) => string): Column<Endpoint>[] => [
  {
    header: t('Endpoint'),
    width: 'flex-2',
    cell: endpoint => (
      <RowLink list="/endpoints" id={endpoint.id} title={endpoint.url ?? TYPE_WORDS.pull} className="block truncate">
        {nameOfEndpoint(endpoint)}
      </RowLink>
    ),
  },
  { header: t('State'), width: 'w-36 sm:w-44', cell: endpoint => <EndpointStatus endpoint={endpoint} /> },
  {
    header: 'URL',
    from: 'md',
    width: 'flex-2',
    cell: ({ url }) =>
      url === null ? (
        TYPE_WORDS.pull
      ) : (
        <span className="font-mono text-[12px] text-muted">{url.replace(/\?.*/s, '?…')}</span>
      ),
  },
  { header: t('Events'), from: 'lg', width: 'flex-2', cell: ({ kinds }) => kinds?.join(', ') ?? t('The usual ones') },
  {
    header: t('Numbers'),
    from: 'xl',
    cell: ({ session_ids }) => session_ids?.map(nameOfNumber).join(', ') ?? t('All'),
  },
  { header: t('Created'), from: 'sm', width: 'w-26 sm:w-28', cell: endpoint => <Time at={endpoint.created_at} /> },
]

export function EndpointsPage() {
  const endpoints = wholeList(useQuery(endpointsQuery))
  const { add } = useSearch({ from: '/inside/endpoints' })
  const navigate = useNavigate()
  const nameOfNumber = useNumberNames()
  const columns = useMemo(() => columnsOf(nameOfNumber), [nameOfNumber])
  const showAdd = (shown: boolean) => void navigate({ to: '/endpoints', search: shown ? { add: 'endpoint' } : {} })
  const open = (id: string) => void navigate({ to: '/endpoints/$id', params: { id } })
  const create = (
    <Button look="primary" icon={Plus} onClick={() => showAdd(true)}>
      {t('Create an endpoint')}
    </Button>
  )
  return (
    <Page
      title={t('Endpoints')}
      lead={t('Receivers of your account that get the events of all your numbers, or of those that you choose.')}
      action={create}
    >
      <List
        label={t('Endpoints')}
        source={endpoints}
        columns={columns}
        rowKey={endpoint => endpoint.id}
        onOpen={({ id }) => open(id)}
        expected={3}
        empty={
          <Empty icon={Radio} title={t('No endpoint yet')} actions={create}>
            {t(
              'A webhook belongs to one number. An endpoint gets the events of several, only the kinds that you choose, with headers of your own and signed as you like.',
            )}
          </Empty>
        }
      />
      {add === 'endpoint' && <CreateEndpoint onClose={() => showAdd(false)} onCreated={open} />}
    </Page>
  )
}

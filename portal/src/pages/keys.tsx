import { infiniteQueryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { api, take } from '../api/client.ts'
import { pagedList } from '../api/list-source.ts'
import { paging } from '../api/paging.ts'
import type { ApiKey } from '../api/records.ts'
import { useNumberNames } from '../api/use-number-names.ts'
import { CreateKey } from '../dialogs/create-key.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { List } from '../ui/list.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { t } from '../t.ts'

const keysQuery = infiniteQueryOptions({
  queryKey: ['keys'],
  queryFn: ({ pageParam }) => take(api.GET('/v1/keys', { params: { query: { limit: 100, cursor: pageParam } } })),
  ...paging,
})

const columnsOf = (revoke: (key: ApiKey) => void, nameOfNumber: (sessionId: string) => string): Column<ApiKey>[] => [
  {
    header: t('Label'),
    width: 'flex-2',
    cell: key => <span className="font-medium">{key.label}</span>,
  },
  {
    header: t('Key'),
    from: 'sm',
    width: 'w-36',
    cell: key => <code className="font-mono text-[12px]">{key.prefix}…</code>,
  },
  {
    header: t('Permissions'),
    from: 'md',
    width: 'w-48',
    cell: key => (
      <span className="flex gap-1">
        {key.scopes.map(scope => (
          <Badge key={scope}>{scope}</Badge>
        ))}
      </span>
    ),
  },
  {
    header: t('Numbers'),
    from: 'lg',
    cell: key => (key.session_ids === null ? t('All') : key.session_ids.map(nameOfNumber).join(', ')),
  },
  {
    header: t('Last used'),
    width: 'w-26 sm:w-28',
    cell: key => (key.last_used_at ? <Time at={key.last_used_at} /> : t('Never')),
  },
  { header: t('Created'), from: 'md', width: 'w-26 sm:w-28', cell: key => <Time at={key.created_at} /> },
  {
    header: t('Revoke'),
    width: 'w-32',
    className: 'text-right',
    cell: key => (
      <Button small look="quiet-danger" onClick={() => revoke(key)}>
        {t('Revoke')}
      </Button>
    ),
  },
]

export function KeysPage() {
  const keys = pagedList(useInfiniteQuery(keysQuery))
  const queries = useQueryClient()
  const [doomed, setDoomed] = useState<ApiKey | null>(null)
  const { add } = useSearch({ from: '/inside/keys' })
  const navigate = useNavigate({ from: '/keys' })
  const showAdd = (shown: boolean) => void navigate({ search: shown ? { add: 'key' } : {} })
  const nameOfNumber = useNumberNames()
  const columns = useMemo(() => columnsOf(setDoomed, nameOfNumber), [nameOfNumber])
  const revoke = async (key: ApiKey) => {
    await take(api.DELETE('/v1/keys/{id}', { params: { path: { id: key.id } } }))
    await queries.invalidateQueries({ queryKey: ['keys'] })
    toast.done(t('Key {label} is revoked.', { label: key.label }))
  }
  const create = (
    <Button look="primary" icon={Plus} onClick={() => showAdd(true)}>
      {t('Create a key')}
    </Button>
  )
  return (
    <Page
      title={t('API keys')}
      lead={t('Your servers sign in with them. Never put one into an app, a page or a repository.')}
      action={create}
    >
      <List
        label={t('API keys')}
        source={keys}
        columns={columns}
        rowKey={key => key.id}
        expected={3}
        empty={
          <Empty icon={KeyRound} title={t('No key yet')} actions={create}>
            {t(
              'A key lets a program send and read for this account. Its full value is shown once, when you create it.',
            )}
          </Empty>
        }
      />
      {add === 'key' && <CreateKey onClose={() => showAdd(false)} />}
      {doomed && (
        <Confirm
          title={t('Revoke key {label}?', { label: doomed.label })}
          action={t('Revoke the key')}
          danger
          onConfirm={() => revoke(doomed)}
          onClose={() => setDoomed(null)}
        >
          <p>{t('Requests with it will get 401 from now on, on every node within a second.')}</p>
          <p>{t('This cannot be undone.')}</p>
        </Confirm>
      )}
    </Page>
  )
}

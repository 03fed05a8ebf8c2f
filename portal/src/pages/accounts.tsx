import { infiniteQueryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Users } from 'lucide-react'
import { useMemo, useState } from 'react'
import { api, take } from '../api/client.ts'
import { pagedList } from '../api/list-source.ts'
import { paging } from '../api/paging.ts'
import type { OperatorAccount } from '../api/records.ts'
import { capitalized } from '../capitalized.ts'
import { CreateAccount } from '../dialogs/create-account.tsx'
import { EditAccount } from '../dialogs/edit-account.tsx'
import { Button } from '../ui/button.tsx'
import { CopyId } from '../ui/copy.tsx'
import { List } from '../ui/list.tsx'
import { count } from '../ui/numbers-format.ts'
import { Empty, Page } from '../ui/page.tsx'
import { Badge, Status } from '../ui/status.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { t } from '../t.ts'

const accountsQuery = infiniteQueryOptions({
  queryKey: ['accounts'],
  queryFn: ({ pageParam }) =>
    take(api.GET('/operator/accounts', { params: { query: { limit: 100, cursor: pageParam } } })),
  ...paging,
})

const columnsOf = (edit: (account: OperatorAccount) => void): Column<OperatorAccount>[] => [
  {
    header: t('Name'),
    width: 'flex-2',
    cell: account => (
      <button
        type="button"
        data-row={account.id}
        onClick={() => edit(account)}
        className="block max-w-full truncate font-medium"
      >
        {account.name}
      </button>
    ),
  },
  {
    header: t('Plan'),
    width: 'w-20',
    cell: account => <Badge tone={account.plan === 'free' ? 'off' : 'good'}>{capitalized(account.plan)}</Badge>,
  },
  {
    header: t('Terms'),
    width: 'w-32',
    from: 'md',
    cell: account => (
      <Status tone={account.tos_accepted ? 'good' : 'off'}>
        {account.tos_accepted ? t('Accepted') : t('Not yet')}
      </Status>
    ),
  },
  {
    header: t('Per month'),
    width: 'w-28',
    from: 'lg',
    cell: account =>
      account.limits.messages_per_month === null ? t('No limit') : count(account.limits.messages_per_month),
  },
  {
    header: t('Numbers'),
    width: 'w-28',
    from: 'lg',
    cell: account => (account.limits.sessions === null ? t('No limit') : count(account.limits.sessions)),
  },
  { header: t('Id'), from: 'md', width: 'flex-2', cell: account => <CopyId id={account.id} className="-ml-1" /> },
  { header: t('Created'), from: 'sm', width: 'w-26 sm:w-28', cell: account => <Time at={account.created_at} /> },
]

export function AccountsPage() {
  const accounts = pagedList(useInfiniteQuery(accountsQuery))
  const queries = useQueryClient()
  const [creating, setCreating] = useState(false)
  const [edited, setEdited] = useState<OperatorAccount | null>(null)
  const columns = useMemo(() => columnsOf(setEdited), [])
  const close = () => {
    setCreating(false)
    setEdited(null)
    void queries.invalidateQueries({ queryKey: accountsQuery.queryKey })
  }
  const create = (
    <Button look="primary" icon={Plus} onClick={() => setCreating(true)}>
      {t('Create an account')}
    </Button>
  )
  return (
    <Page title={t('Accounts')} lead={t('Everyone who uses this gateway, and what their plan allows.')} action={create}>
      <List
        label={t('Accounts')}
        source={accounts}
        columns={columns}
        rowKey={account => account.id}
        onOpen={setEdited}
        empty={<Empty icon={Users} title={t('No account yet')} actions={create} />}
      />
      {creating && <CreateAccount onClose={close} />}
      {edited && <EditAccount account={edited} onClose={close} />}
    </Page>
  )
}

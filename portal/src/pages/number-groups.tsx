import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Plus, UsersRound } from 'lucide-react'
import { useMemo } from 'react'
import { pagedList } from '../api/list-source.ts'
import { groupsQuery } from '../api/number-lists.ts'
import type { GroupSummary } from '../api/records.ts'
import { CreateGroup } from '../dialogs/create-group.tsx'
import { Button } from '../ui/button.tsx'
import { CopyId } from '../ui/copy.tsx'
import { List } from '../ui/list.tsx'
import { count } from '../ui/numbers-format.ts'
import { Empty } from '../ui/page.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { t } from '../t.ts'
import { NumberFrame } from './number-frame.tsx'

const columnsOf = (id: string): Column<GroupSummary>[] => [
  {
    header: t('Group'),
    width: 'flex-2',
    cell: group => (
      <Link
        to="/numbers/$id/groups/$jid"
        params={{ id, jid: group.jid }}
        data-row={group.jid}
        className="block truncate font-medium"
      >
        {group.subject || group.jid}
      </Link>
    ),
  },
  { header: t('Members'), width: 'w-24', cell: group => count(group.size) },
  { header: 'JID', from: 'md', width: 'flex-2', cell: group => <CopyId id={group.jid} className="-ml-1" /> },
  {
    header: t('Created'),
    from: 'sm',
    width: 'w-28',
    cell: group => (group.created_at ? <Time at={group.created_at} /> : '–'),
  },
]

export function NumberGroupsPage() {
  const { id } = useParams({ from: '/inside/numbers/$id/groups' })
  const { jid } = useParams({ strict: false })
  const { add } = useSearch({ from: '/inside/numbers/$id/groups' })
  const navigate = useNavigate()
  const columns = useMemo(() => columnsOf(id), [id])
  const showAdd = (shown: boolean) =>
    void navigate({ to: '/numbers/$id/groups', params: { id }, search: shown ? { add: 'group' } : {} })
  const open = (group: string) => void navigate({ to: '/numbers/$id/groups/$jid', params: { id, jid: group } })
  const create = (
    <Button look="primary" icon={Plus} onClick={() => showAdd(true)}>
      {t('Create a group')}
    </Button>
  )
  return (
    <NumberFrame id={id} title={t('Groups')} action={create}>
      <List
        label={t('Groups')}
        source={pagedList(useInfiniteQuery(groupsQuery(id)))}
        columns={columns}
        rowKey={group => group.jid}
        current={jid}
        onOpen={group => open(group.jid)}
        expected={5}
        empty={
          <Empty icon={UsersRound} title={t('No group yet')} actions={create}>
            {t('Create a group, or ask a member of one to add this number. To write to a group, send to its JID.')}
          </Empty>
        }
      />
      {add === 'group' && <CreateGroup id={id} onClose={() => showAdd(false)} onCreated={open} />}
      <Outlet />
    </NumberFrame>
  )
}

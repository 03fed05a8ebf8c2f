import { useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Plus, Smartphone } from 'lucide-react'
import { wholeList } from '../api/list-source.ts'
import type { Session } from '../api/records.ts'
import { nameOf, sessionsQuery } from '../api/sessions.ts'
import { useVisitor } from '../api/use-visitor.ts'
import { AddSandboxNumber } from '../dialogs/add-sandbox-number.tsx'
import { SessionStatus } from '../records/status-marks.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { CopyId } from '../ui/copy.tsx'
import { List } from '../ui/list.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { Badge } from '../ui/status.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { t } from '../t.ts'

const columns: Column<Session>[] = [
  {
    header: t('Number'),
    width: 'flex-2',
    cell: session => (
      <RowLink list="/numbers" id={session.id} className="flex items-center gap-2">
        <span className="truncate">{nameOf(session)}</span>
        {session.platform === 'sandbox' && <Badge tone="calm">{t('Sandbox')}</Badge>}
      </RowLink>
    ),
  },
  {
    header: t('State'),
    width: 'w-36 sm:w-60',
    cell: session => (
      <span className="flex items-center gap-2">
        <SessionStatus session={session} />
        {session.restricted_until && (
          <span className="max-sm:hidden">
            <Badge tone="waiting">{t('Restricted')}</Badge>
          </span>
        )}
      </span>
    ),
  },
  {
    header: t('Session id'),
    from: 'md',
    width: 'flex-2',
    cell: session => <CopyId id={session.id} className="-ml-1" />,
  },
  {
    header: t('Connected'),
    from: 'lg',
    width: 'w-28',
    cell: session => (session.connected_at ? <Time at={session.connected_at} /> : t('Never')),
  },
  {
    header: t('Last event'),
    from: 'sm',
    width: 'w-36',
    cell: session => (session.last_event_at ? <Time at={session.last_event_at} /> : t('None yet')),
  },
]

export function NumbersPage() {
  const numbers = wholeList(useQuery(sessionsQuery))
  const { sandbox } = useVisitor()
  const { add } = useSearch({ from: '/inside/numbers' })
  const { id } = useParams({ strict: false })
  const navigate = useNavigate()
  const showAdd = (shown: boolean) => void navigate({ to: '/numbers', search: shown ? { add: 'sandbox' } : {} })
  return (
    <Page
      title={t('Numbers')}
      lead={t('The phone numbers that send and receive for you.')}
      action={
        <>
          {sandbox && (
            <Button icon={Plus} onClick={() => showAdd(true)}>
              {t('Add a sandbox number')}
            </Button>
          )}
          <ButtonLink look="primary" icon={Smartphone} to="/link">
            {t('Link a phone')}
          </ButtonLink>
        </>
      }
    >
      <List
        label={t('Numbers')}
        source={numbers}
        columns={columns}
        rowKey={session => session.id}
        current={id}
        onOpen={session => void navigate({ to: '/numbers/$id', params: { id: session.id } })}
        expected={3}
        empty={<NoNumbers onAdd={sandbox ? () => showAdd(true) : undefined} />}
      />
      {add === 'sandbox' && <AddSandboxNumber onClose={() => showAdd(false)} />}
      <Outlet />
    </Page>
  )
}

function NoNumbers({ onAdd }: { onAdd: (() => void) | undefined }) {
  return (
    <Empty
      icon={Smartphone}
      title={t('No number yet')}
      actions={
        <>
          {onAdd && (
            <Button look="primary" icon={Plus} onClick={onAdd}>
              {t('Add a sandbox number')}
            </Button>
          )}
          <ButtonLink icon={Smartphone} to="/link">
            {t('Link a phone')}
          </ButtonLink>
        </>
      }
    >
      {onAdd
        ? t('A sandbox number works now and needs no phone. A linked phone sends real messages.')
        : t('Link the phone whose number will send and receive.')}
    </Empty>
  )
}

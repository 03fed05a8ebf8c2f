import { useQuery } from '@tanstack/react-query'
import { Server } from 'lucide-react'
import { api, take } from '../api/client.ts'
import type { OperatorOverview } from '../api/records.ts'
import { CopyId } from '../ui/copy.tsx'
import { Figure } from '../ui/figure.tsx'
import { List } from '../ui/list.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { count } from '../ui/numbers-format.ts'
import { Empty, Notice, Page } from '../ui/page.tsx'
import { Status } from '../ui/status.tsx'
import { type Column, Table, TableSkeleton } from '../ui/table.tsx'
import { Countdown, Time, useNow } from '../ui/time.tsx'
import { PlatformVersions } from './platform-versions.tsx'
import { rich } from '../rich.ts'
import { phoneOf } from '../api/sessions.ts'
import { t } from '../t.ts'
import { showPhone } from '../phone-number.ts'

type Node = OperatorOverview['nodes'][number]
type Lease = OperatorOverview['leases'][number]

/** A node sends a heartbeat every few seconds; after this time it counts as gone. */
const SILENT_MS = 30_000

const overviewQuery = {
  queryKey: ['operator-overview'],
  queryFn: () => take(api.GET('/operator/overview')),
  refetchInterval: 3_000,
}

const nodeColumns: Column<Node>[] = [
  { header: t('Node'), width: 'flex-2', cell: node => <CopyId id={node.id} className="-ml-1" /> },
  { header: t('State'), width: 'w-24', cell: node => <Alive seenAt={node.seen_at} /> },
  { header: t('Roles'), from: 'md', width: 'flex-2', cell: node => node.roles },
  { header: t('Address'), from: 'lg', cell: node => node.address },
  { header: t('Version'), from: 'lg', width: 'w-24', cell: node => node.version },
  { header: t('Started'), from: 'sm', width: 'w-28', cell: node => <Time at={node.started_at} /> },
]

const leaseColumns: Column<Lease>[] = [
  { header: t('Resource'), width: 'flex-2', cell: lease => <CopyId id={lease.resource} className="-ml-1" /> },
  { header: t('Owner'), from: 'sm', width: 'flex-2', cell: lease => lease.owner ?? t('None') },
  { header: t('Epoch'), from: 'md', width: 'w-24', cell: lease => count(lease.epoch) },
  { header: t('Ends'), width: 'w-28', cell: lease => <Countdown at={lease.expires_at} /> },
]

export function NodesPage() {
  const overview = useQuery(overviewQuery)
  return (
    <Page title={t('Nodes')} lead={t('The processes of the gateway, the numbers they run, and the queues.')}>
      <Loaded query={overview} skeleton={<TableSkeleton rows={4} />}>
        {shown => (
          <div className="space-y-6">
            {shown.warnings.map(warning => (
              <Notice key={warning} tone="waiting">
                {warning}
              </Notice>
            ))}
            <Queues overview={shown} />
            <Table label={t('Nodes')} rows={shown.nodes} columns={nodeColumns} rowKey={node => node.id} />
            <PlatformVersions versions={shown.platform_versions} />
            <section>
              <h2 className="mb-3 font-semibold">{t('Leases')}</h2>
              <List
                label={t('Leases')}
                source={{ rows: shown.leases }}
                columns={leaseColumns}
                rowKey={lease => lease.resource}
                empty={
                  <Empty icon={Server} title={t('No lease is held')}>
                    {t('A worker takes a lease on each number that it runs.')}
                  </Empty>
                }
              />
            </section>
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function Alive({ seenAt }: { seenAt: string }) {
  const alive = useNow(1_000) - Date.parse(seenAt) < SILENT_MS
  return <Status tone={alive ? 'good' : 'bad'}>{alive ? t('Healthy') : t('Not responding')}</Status>
}

interface Depth {
  due: number
  oldest_due_at: string | null
}

function Queues({ overview }: { overview: OperatorOverview }) {
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-5">
      <Figure name={t('Nodes')} value={count(overview.nodes.length)} />
      <QueueFigure name={t('Commands due')} depth={overview.commands} />
      <QueueFigure name={t('Deliveries due')} depth={overview.deliveries} />
      <Figure name={t('Dead letters')} value={count(overview.dead_letters)} note={t('of all accounts')} />
      <Figure name={t('Not processed')} value={count(overview.poison.total)} note={poisonNote(overview.poison)} />
    </div>
  )
}

/** Received items that could not become an event after all attempts. */
function poisonNote({ numbers }: OperatorOverview['poison']) {
  const [most] = numbers
  return most
    ? t('most from {phone}', { phone: showPhone(phoneOf(most.session_id)) })
    : t('received, but not processed')
}

function QueueFigure({ name, depth }: { name: string; depth: Depth }) {
  return (
    <Figure
      name={name}
      value={count(depth.due)}
      note={
        depth.oldest_due_at ? (
          <>{rich('oldest {time}', { time: <Time at={depth.oldest_due_at} /> })}</>
        ) : (
          t('the queue is empty')
        )
      }
    />
  )
}

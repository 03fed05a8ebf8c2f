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

type Node = OperatorOverview['nodes'][number]
type Lease = OperatorOverview['leases'][number]

/** A node tells of itself every few seconds; beyond this it is taken for gone. */
const SILENT_MS = 30_000

const overviewQuery = {
  queryKey: ['operator-overview'],
  queryFn: () => take(api.GET('/operator/overview')),
  refetchInterval: 3_000,
}

const nodeColumns: Column<Node>[] = [
  { header: 'Node', width: 'flex-2', cell: node => <CopyId id={node.id} className="-ml-1" /> },
  { header: 'State', width: 'w-24', cell: node => <Alive seenAt={node.seen_at} /> },
  { header: 'Roles', from: 'md', width: 'flex-2', cell: node => node.roles },
  { header: 'Address', from: 'lg', cell: node => node.address },
  { header: 'Version', from: 'lg', width: 'w-24', cell: node => node.version },
  { header: 'Started', from: 'sm', width: 'w-28', cell: node => <Time at={node.started_at} /> },
]

const leaseColumns: Column<Lease>[] = [
  { header: 'Resource', width: 'flex-2', cell: lease => <CopyId id={lease.resource} className="-ml-1" /> },
  { header: 'Owner', from: 'sm', width: 'flex-2', cell: lease => lease.owner ?? 'Nobody' },
  { header: 'Epoch', from: 'md', width: 'w-24', cell: lease => lease.epoch },
  { header: 'Ends', width: 'w-28', cell: lease => <Countdown at={lease.expires_at} /> },
]

export function NodesPage() {
  const overview = useQuery(overviewQuery)
  return (
    <Page title="Nodes" lead="What runs, who holds which number, and what waits in the queues.">
      <Loaded query={overview} skeleton={<TableSkeleton rows={4} />}>
        {shown => (
          <div className="space-y-6">
            {shown.warnings.map(warning => (
              <Notice key={warning} tone="waiting">
                {warning}
              </Notice>
            ))}
            <Queues overview={shown} />
            <Table label="Nodes" rows={shown.nodes} columns={nodeColumns} rowKey={node => node.id} />
            <PlatformVersions versions={shown.platform_versions} />
            <section>
              <h2 className="mb-3 font-semibold">Leases</h2>
              <List
                label="Leases"
                source={{ rows: shown.leases }}
                columns={leaseColumns}
                rowKey={lease => lease.resource}
                empty={
                  <Empty icon={Server} title="No lease is held">
                    A worker takes a lease on each number that it runs.
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
  return <Status tone={alive ? 'good' : 'bad'}>{alive ? 'Works' : 'Silent'}</Status>
}

interface Depth {
  due: number
  oldest_due_at: string | null
}

function Queues({ overview }: { overview: OperatorOverview }) {
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-5">
      <Figure name="Nodes" value={count(overview.nodes.length)} />
      <QueueFigure name="Commands due" depth={overview.commands} />
      <QueueFigure name="Deliveries due" depth={overview.deliveries} />
      <Figure name="Dead letters" value={count(overview.dead_letters)} note="of all accounts" />
      <Figure name="Given up" value={count(overview.poison.total)} note={poisonNote(overview.poison)} />
    </div>
  )
}

/** What was received and could not become an event, whatever was tried. */
function poisonNote({ numbers }: OperatorOverview['poison']) {
  const [most] = numbers
  return most ? `most by ${most.session_id.split('@')[0]}` : 'of what was received'
}

function QueueFigure({ name, depth }: { name: string; depth: Depth }) {
  return (
    <Figure
      name={name}
      value={count(depth.due)}
      note={
        depth.oldest_due_at ? (
          <>
            oldest <Time at={depth.oldest_due_at} />
          </>
        ) : (
          'nothing waits'
        )
      }
    />
  )
}

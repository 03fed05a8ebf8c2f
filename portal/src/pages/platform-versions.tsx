import type { OperatorOverview } from '../api/records.ts'
import { lookUp } from '../look-up.ts'
import { Status } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time, useNow } from '../ui/time.tsx'

type Version = OperatorOverview['platform_versions'][number]

const DAY_MS = 86_400_000
/** Some weeks before the platform refuses it. */
const OLD_DAYS = 60

const SOURCES: Record<string, string> = {
  page: 'Page of the platform',
  fallback: 'List of wa-version',
  built_in: 'Built in',
  pinned: 'POSTERN_WHATSAPP_VERSION',
}
const NETWORKS: Record<string, string> = { whatsapp: 'WhatsApp', sandbox: 'Sandbox' }

const columns: Column<Version>[] = [
  { header: 'Network', width: 'w-28', cell: ({ platform }) => lookUp(NETWORKS, platform) ?? platform },
  {
    header: 'Version',
    width: 'flex-2',
    cell: ({ version }) => <span className="font-mono text-[13px]">{version}</span>,
  },
  { header: 'State', width: 'w-24', cell: version => <State version={version} /> },
  { header: 'Known from', from: 'md', width: 'flex-2', cell: ({ source }) => lookUp(SOURCES, source) ?? source },
  { header: 'Known since', from: 'sm', width: 'w-28', cell: ({ learnt_at }) => <Time at={learnt_at} /> },
  {
    header: 'Confirmed',
    from: 'lg',
    width: 'w-28',
    cell: ({ confirmed_at }) => (confirmed_at ? <Time at={confirmed_at} /> : 'Never'),
  },
  {
    header: 'Expires',
    from: 'md',
    width: 'w-28',
    cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : 'No date'),
  },
]

/** As which version of the web client the numbers log in: one that is too old is refused. */
export function PlatformVersions({ versions }: { versions: Version[] }) {
  if (versions.length === 0) return null
  return (
    <section>
      <h2 className="mb-3 font-semibold">Versions of the web client</h2>
      <Table
        label="Versions of the web client"
        rows={versions}
        columns={columns}
        rowKey={version => version.platform}
      />
    </section>
  )
}

function State({ version: { learnt_at, expires_at } }: { version: Version }) {
  const now = useNow(60_000)
  if (expires_at) return <Status tone="bad">Expires</Status>
  const isOld = now - Date.parse(learnt_at) > OLD_DAYS * DAY_MS
  return <Status tone={isOld ? 'waiting' : 'good'}>{isOld ? 'Old' : 'Current'}</Status>
}

import type { OperatorOverview } from '../api/records.ts'
import { lookUp } from '../look-up.ts'
import { Status } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time, useNow } from '../ui/time.tsx'
import { t } from '../t.ts'

type Version = OperatorOverview['platform_versions'][number]

const DAY_MS = 86_400_000
/** A few weeks before the platform rejects it. */
const OLD_DAYS = 60

const SOURCES: Record<string, string> = {
  page: t('Page of the platform'),
  fallback: 'List of wa-version',
  built_in: t('Built in'),
  pinned: 'POSTERN_WHATSAPP_VERSION',
}
const NETWORKS: Record<string, string> = { whatsapp: 'WhatsApp', sandbox: t('Sandbox') }

const columns: Column<Version>[] = [
  { header: t('Network'), width: 'w-28', cell: ({ platform }) => lookUp(NETWORKS, platform) ?? platform },
  {
    header: t('Version'),
    width: 'flex-2',
    cell: ({ version }) => <span className="font-mono text-[13px]">{version}</span>,
  },
  { header: t('State'), width: 'w-24', cell: version => <State version={version} /> },
  { header: t('Source'), from: 'md', width: 'flex-2', cell: ({ source }) => lookUp(SOURCES, source) ?? source },
  { header: t('First seen'), from: 'sm', width: 'w-28', cell: ({ learnt_at }) => <Time at={learnt_at} /> },
  {
    header: t('Confirmed'),
    from: 'lg',
    width: 'w-28',
    cell: ({ confirmed_at }) => (confirmed_at ? <Time at={confirmed_at} /> : t('Never')),
  },
  {
    header: t('Expires'),
    from: 'md',
    width: 'w-28',
    cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : t('No date')),
  },
]

/** The version of the web client that the numbers log in as. The platform rejects old ones. */
export function PlatformVersions({ versions }: { versions: Version[] }) {
  if (versions.length === 0) return null
  return (
    <section>
      <h2 className="mb-3 font-semibold">{t('Versions of the web client')}</h2>
      <Table
        label={t('Versions of the web client')}
        rows={versions}
        columns={columns}
        rowKey={version => version.platform}
      />
    </section>
  )
}

function State({ version: { learnt_at, expires_at } }: { version: Version }) {
  const now = useNow(60_000)
  if (expires_at) return <Status tone="bad">{t('Expires')}</Status>
  const isOld = now - Date.parse(learnt_at) > OLD_DAYS * DAY_MS
  return <Status tone={isOld ? 'waiting' : 'good'}>{isOld ? t('Old') : t('Current')}</Status>
}

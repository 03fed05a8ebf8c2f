import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { useMemo } from 'react'
import { wholeList } from '../api/list-source.ts'
import { CATEGORIES, type Webhook } from '../api/records.ts'
import { useNumberNames } from '../api/use-number-names.ts'
import { CATEGORY_WORDS, urlOf, webhooksQuery } from '../api/webhooks.ts'
import { ButtonLink } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { CopyId } from '../ui/copy.tsx'
import { List } from '../ui/list.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { Status } from '../ui/status.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { t } from '../t.ts'
import { showPhone } from '../phone-number.ts'

const columnsOf = (nameOfNumber: (sessionId: string) => string): Column<Webhook>[] => [
  {
    header: t('Number'),
    cell: webhook => (
      <RowLink list="/webhooks" id={webhook.id} title={showPhone(webhook.phone)} className="block truncate">
        {nameOfNumber(webhook.session_id)}
      </RowLink>
    ),
  },
  {
    header: t('State'),
    width: 'w-28',
    cell: webhook => (
      <Status tone={webhook.active ? 'good' : 'off'}>{webhook.active ? t('Active') : t('Inactive')}</Status>
    ),
  },
  {
    header: t('Receives'),
    from: 'md',
    width: 'w-88',
    cell: webhook => (
      <span className="flex gap-1">
        {CATEGORIES.map(category => (
          <span
            key={category}
            title={urlOf(webhook, category) || t('Not sent')}
            className={classes(
              'rounded px-1.5 py-0.5 text-[12px] font-medium',
              urlOf(webhook, category) ? 'bg-accent-soft text-accent-strong' : 'text-muted line-through',
            )}
          >
            {CATEGORY_WORDS[category].title}
          </span>
        ))}
      </span>
    ),
  },
  { header: t('Id'), from: 'lg', width: 'flex-2', cell: webhook => <CopyId id={webhook.id} className="-ml-1" /> },
  { header: t('Created'), from: 'sm', width: 'w-26 sm:w-28', cell: webhook => <Time at={webhook.created_at} /> },
]

export function WebhooksPage() {
  const webhooks = wholeList(useQuery(webhooksQuery))
  const navigate = useNavigate()
  const nameOfNumber = useNumberNames()
  const columns = useMemo(() => columnsOf(nameOfNumber), [nameOfNumber])
  const add = (
    <ButtonLink look="primary" icon={Plus} to="/webhooks/new">
      {t('Set a webhook')}
    </ButtonLink>
  )
  return (
    <Page
      title={t('Webhooks')}
      lead={t('Where events are posted, one config per number, each POST signed.')}
      action={add}
    >
      <List
        label={t('Webhooks')}
        source={webhooks}
        columns={columns}
        rowKey={webhook => webhook.id}
        onOpen={({ id }) => void navigate({ to: '/webhooks/$id', params: { id } })}
        expected={3}
        empty={
          <Empty icon={WebhookIcon} title={t('No webhook yet')} actions={add}>
            {t(
              'A webhook sends your server every event: incoming messages, receipts, calls, the state of the number. The gateway tries each event four times and never drops one silently.',
            )}
          </Empty>
        }
      />
    </Page>
  )
}

import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Inbox } from 'lucide-react'
import { useMemo } from 'react'
import { type DeliveryFilter, deliveriesQuery, matches } from '../api/deliveries.ts'
import { eventName, otherSide } from '../api/event-names.ts'
import { pagedList } from '../api/list-source.ts'
import type { Delivery } from '../api/records.ts'
import { showJid } from '../api/sessions.ts'
import { useLiveRows } from '../api/use-live-rows.ts'
import { useNumberNames } from '../api/use-number-names.ts'
import { DeliveryStatusMark } from '../records/status-marks.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { CopyId } from '../ui/copy.tsx'
import { List } from '../ui/list.tsx'
import { Empty } from '../ui/page.tsx'
import { RowLink } from '../ui/row-link.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { t } from '../t.ts'

const columnsOf = (nameOfNumber: (sessionId: string) => string): Column<Delivery>[] => [
  {
    header: t('From'),
    width: 'flex-2',
    cell: delivery => (
      <RowLink list="/deliveries" id={delivery.id} className="block truncate">
        {showJid(otherSide(delivery) ?? 'unknown')}
      </RowLink>
    ),
  },
  { header: t('Your endpoint'), width: 'w-32', cell: delivery => <DeliveryStatusMark delivery={delivery} /> },
  {
    header: t('Type'),
    from: 'md',
    width: 'w-36',
    cell: delivery => <code className="font-mono text-[12px]">{eventName(delivery)}</code>,
  },
  { header: t('To'), from: 'md', width: 'w-40', cell: delivery => nameOfNumber(delivery.session_id) },
  {
    header: t('Id'),
    from: 'lg',
    width: 'flex-2',
    cell: delivery => <CopyId id={delivery.message_id} className="-ml-1" />,
  },
  { header: t('Time'), width: 'w-26 sm:w-28', cell: delivery => <Time at={delivery.created_at} /> },
]

/** Received messages as they were posted to the webhook: the gateway stores no other copy. */
export function ReceivedMessages({ number }: { number: string | undefined }) {
  const filter: DeliveryFilter = { type: 'incoming_message', ...(number !== undefined && { number }) }
  const query = deliveriesQuery(filter)
  const source = pagedList(useInfiniteQuery(query))
  const fresh = useLiveRows('delivery', query.queryKey, delivery => matches(filter, delivery))
  const nameOfNumber = useNumberNames()
  const columns = useMemo(() => columnsOf(nameOfNumber), [nameOfNumber])
  const navigate = useNavigate()
  return (
    <List
      label={t('Received messages')}
      source={source}
      fresh={fresh}
      columns={columns}
      rowKey={row => row.id}
      onOpen={row => void navigate({ to: '/deliveries/$id', params: { id: row.id } })}
      expected={10}
      empty={
        <Empty
          icon={Inbox}
          title={t('Nothing received yet')}
          actions={
            <>
              <ButtonLink to="/webhooks/new">{t('Set a webhook')}</ButtonLink>
              <ButtonLink look="primary" to="/phone">
                {t('Write from the sandbox phone')}
              </ButtonLink>
            </>
          }
        >
          {t(
            'Messages to your number appear here as the gateway posts them to your webhook. Without a webhook they are not stored.',
          )}
        </Empty>
      }
    />
  )
}

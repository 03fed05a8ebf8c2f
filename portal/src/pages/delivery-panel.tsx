import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { RotateCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { api, take } from '../api/client.ts'
import { deliveriesQuery, deliveryQuery } from '../api/deliveries.ts'
import { eventName } from '../api/event-names.ts'
import { deathWords, failureWords } from '../api/failures.ts'
import { rowsOf } from '../api/paging.ts'
import type { Delivery } from '../api/records.ts'
import { phoneOf, sessionsQuery } from '../api/sessions.ts'
import { deliveryMessageQuery } from '../api/trail.ts'
import { useNumberNames } from '../api/use-number-names.ts'
import { CATEGORY_WORDS } from '../api/webhooks.ts'
import { AttemptTimeline } from '../records/attempt-timeline.tsx'
import { RecordLink } from '../records/record-link.tsx'
import { DeliveryStatusMark } from '../records/status-marks.tsx'
import { Button } from '../ui/button.tsx'
import { CopyId } from '../ui/copy.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Facts, Notice } from '../ui/page.tsx'
import { useShortcut } from '../ui/shortcuts.ts'
import { SidePanel } from '../ui/side-panel.tsx'
import { clockTime, ExactTime } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { TYPE_WORDS } from './deliveries.tsx'
import { PostedRequest } from './posted-request.tsx'

export function DeliveryPanel() {
  const { id } = useParams({ from: '/inside/deliveries/$id' })
  const filter = useSearch({ from: '/inside/deliveries' })
  const rows = rowsOf(useInfiniteQuery(deliveriesQuery(filter)).data)
  const query = useQuery({ ...deliveryQuery(id), placeholderData: rows.find(row => row.id === id) })
  const delivery = query.data
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  useShortcut('r', () => setAsking(true))
  const at = rows.findIndex(row => row.id === id)
  const stepTo = (row: Delivery | undefined) =>
    row && (() => void navigate({ to: '/deliveries/$id', params: { id: row.id }, search: true, replace: true }))
  return (
    <SidePanel
      title={delivery ? <Title delivery={delivery} /> : 'Delivery'}
      subject={id}
      onClose={() => void navigate({ to: '/deliveries', search: true })}
      onPrevious={stepTo(rows[at - 1])}
      onNext={at === -1 ? undefined : stepTo(rows[at + 1])}
      actions={
        delivery && (
          <Button small look="primary" icon={RotateCw} onClick={() => setAsking(true)}>
            Resend
          </Button>
        )
      }
    >
      <Loaded query={query} skeleton={<div aria-hidden className="skeleton h-80" />}>
        {shown => <Details delivery={shown} />}
      </Loaded>
      {asking && delivery && <Resend delivery={delivery} onClose={() => setAsking(false)} />}
    </SidePanel>
  )
}

function Title({ delivery }: { delivery: Delivery }) {
  return (
    <>
      <code className="font-mono text-[15px]">{eventName(delivery)}</code>{' '}
      <span className="font-normal text-muted">{TYPE_WORDS[delivery.event_type]}</span>
    </>
  )
}

function Details({ delivery }: { delivery: Delivery }) {
  return (
    <div className="space-y-6">
      <What delivery={delivery} />
      <Facts facts={useFacts(delivery)} />
      <section>
        <h3 className="mb-3 font-semibold">Attempts</h3>
        <AttemptTimeline delivery={delivery} />
      </section>
      <PostedRequest delivery={delivery} />
    </div>
  )
}

function useFacts(delivery: Delivery): [string, ReactNode][] {
  const nameOfNumber = useNumberNames()
  const messageId = useQuery(deliveryMessageQuery(delivery.id)).data
  const session = useQuery(sessionsQuery).data?.find(({ phone }) => phone === phoneOf(delivery.session_id))
  const about: [string, ReactNode][] = messageId
    ? [
        [
          'Message',
          <RecordLink key="message" mono to="/messages/$id" params={{ id: messageId }}>
            {messageId}
          </RecordLink>,
        ],
      ]
    : []
  return [
    ['Result', <DeliveryStatusMark key="status" status={delivery.status} />],
    ...about,
    [
      'Number',
      session ? (
        <RecordLink key="number" to="/numbers/$id" params={{ id: session.id }}>
          {nameOfNumber(delivery.session_id)}
        </RecordLink>
      ) : (
        nameOfNumber(delivery.session_id)
      ),
    ],
    [
      'Webhook',
      <RecordLink key="webhook" mono to="/webhooks/$id" params={{ id: delivery.webhook_id }}>
        {delivery.webhook_id}
      </RecordLink>,
    ],
    ['Sent to', `${CATEGORY_WORDS[delivery.category].title} URL`],
    ['Id', <CopyId key="id" id={delivery.id} className="-ml-1" />],
    ['X-Message-ID', <CopyId key="message-id" id={delivery.message_id} className="-ml-1" />],
    ['Created', <ExactTime key="created" at={delivery.created_at} />],
    ...(delivery.origin === 'event'
      ? []
      : [['Origin', delivery.origin === 'resend' ? 'Resent by hand' : 'Part of a replay'] as [string, ReactNode]]),
  ]
}

/** What happened and what to do, in a sentence or two. */
function What({ delivery }: { delivery: Delivery }) {
  const last = delivery.attempts.at(-1)
  if (delivery.status === 'delivered' || last === undefined) return null
  const words = failureWords(last)
  const tries = delivery.attempts.length === 1 ? 'once' : `${delivery.attempts.length} times`
  if (delivery.status === 'dead') {
    return (
      <Notice tone="bad">
        <b>{words.name}.</b> {deathWords(delivery)} {words.cure} Then resend it.
        {delivery.replaced_by && ` It was sent again in vain: ${delivery.replaced_by} has taken its place.`}
        {delivery.redelivered_at && ` It was sent again at ${clockTime(delivery.redelivered_at)}.`}
      </Notice>
    )
  }
  return (
    <Notice tone="waiting">
      <b>{words.name}.</b> Tried {tries}.
      {delivery.next_attempt_at && ` Next attempt ${clockTime(delivery.next_attempt_at)}.`} {words.cure}
    </Notice>
  )
}

function Resend({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const resend = async () => {
    const again = await take(api.POST('/v1/deliveries/{id}/resend', { params: { path: { id: delivery.id } } }))
    toast.done('It is on its way again.')
    await queries.invalidateQueries({ queryKey: ['deliveries'] })
    await navigate({ to: '/deliveries/$id', params: { id: again.id }, search: true })
  }
  return (
    <Confirm title="Resend this delivery?" action="Resend" onConfirm={resend} onClose={onClose}>
      <p>
        The same event is posted once more, with the same X-Message-ID (
        <code className="font-mono text-[13px] break-all">{delivery.message_id}</code>). A receiver that removes
        duplicates will not count it twice.
      </p>
    </Confirm>
  )
}

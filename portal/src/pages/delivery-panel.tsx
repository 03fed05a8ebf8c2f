import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
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
import { clockTime, ExactTime, localTime } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { TYPE_WORDS } from './deliveries.tsx'
import { PostedRequest } from './posted-request.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

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
      title={delivery ? <Title delivery={delivery} /> : t('Delivery')}
      subject={id}
      onClose={() => void navigate({ to: '/deliveries', search: true })}
      onPrevious={stepTo(rows[at - 1])}
      onNext={at === -1 ? undefined : stepTo(rows[at + 1])}
      actions={
        delivery && (
          <Button small look="primary" icon={RotateCw} onClick={() => setAsking(true)}>
            {t('Resend')}
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
        <h3 className="mb-3 font-semibold">{t('Attempts')}</h3>
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
          t('Message'),
          <RecordLink key="message" mono to="/messages/$id" params={{ id: messageId }}>
            {messageId}
          </RecordLink>,
        ],
      ]
    : []
  return [
    [t('Result'), <DeliveryStatusMark key="status" status={delivery.status} />],
    ...about,
    [
      t('Number'),
      session ? (
        <RecordLink key="number" to="/numbers/$id" params={{ id: session.id }}>
          {nameOfNumber(delivery.session_id)}
        </RecordLink>
      ) : (
        nameOfNumber(delivery.session_id)
      ),
    ],
    [
      t('Webhook'),
      <RecordLink key="webhook" mono to="/webhooks/$id" params={{ id: delivery.webhook_id }}>
        {delivery.webhook_id}
      </RecordLink>,
    ],
    [t('Sent to'), t('{title} URL', { title: CATEGORY_WORDS[delivery.category].title })],
    [t('Id'), <CopyId key="id" id={delivery.id} className="-ml-1" />],
    ['X-Message-ID', <CopyId key="message-id" id={delivery.message_id} className="-ml-1" />],
    [t('Created'), <ExactTime key="created" at={delivery.created_at} />],
    ...(delivery.origin === 'event'
      ? []
      : [
          [t('Origin'), delivery.origin === 'resend' ? t('Resent by hand') : t('Part of a replay')] as [
            string,
            ReactNode,
          ],
        ]),
  ]
}

/** What happened and what to do, in a sentence or two. */
function What({ delivery }: { delivery: Delivery }) {
  const last = delivery.attempts.at(-1)
  if (delivery.status === 'delivered' || last === undefined) return null
  const words = failureWords(last)
  const { length: n } = delivery.attempts
  const tried = n === 1 ? t('Tried once.') : t('Tried {count} times.', { count: n })
  if (delivery.status === 'dead') {
    return (
      <Notice tone="bad">
        {rich('{failure} {end} {cure} Then resend it.', {
          failure: <b>{words.name}.</b>,
          end: deathWords(delivery),
          cure: words.cure,
        })}
        {delivery.replaced_by && <Replacement id={delivery.replaced_by} />}
        {delivery.redelivered_at && ` ${t('It was sent again: {time}.', { time: localTime(delivery.redelivered_at) })}`}
      </Notice>
    )
  }
  return (
    <Notice tone="waiting">
      <b>{words.name}.</b> {tried}
      {delivery.next_attempt_at && ` ${t('Next attempt {time}.', { time: clockTime(delivery.next_attempt_at) })}`}{' '}
      {words.cure}
    </Notice>
  )
}

function Replacement({ id }: { id: string }) {
  return (
    <>
      {' '}
      {rich('It was sent again in vain: {id} has taken its place.', {
        id: (
          <Link to="/deliveries/$id" params={{ id }} search={true} className="font-mono break-all underline">
            {id}
          </Link>
        ),
      })}
    </>
  )
}

function Resend({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const resend = async () => {
    const again = await take(api.POST('/v1/deliveries/{id}/resend', { params: { path: { id: delivery.id } } }))
    toast.done(t('It is on its way again.'))
    await queries.invalidateQueries({ queryKey: ['deliveries'] })
    await navigate({ to: '/deliveries/$id', params: { id: again.id }, search: true })
  }
  return (
    <Confirm title={t('Resend this delivery?')} action={t('Resend')} onConfirm={resend} onClose={onClose}>
      <p>
        {rich(
          'The same event is posted once more, with the same X-Message-ID ({id}). A receiver that removes duplicates will not count it twice.',
          { id: <code className="font-mono text-[13px] break-all">{delivery.message_id}</code> },
        )}
      </p>
    </Confirm>
  )
}

import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { RotateCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { api, take } from '../api/client.ts'
import { deliveriesQuery, deliveryQuery } from '../api/deliveries.ts'
import { endpointsQuery, nameOfEndpoint } from '../api/endpoints.ts'
import { eventName } from '../api/event-names.ts'
import { deathWords, failureWords } from '../api/failures.ts'
import { rowsOf } from '../api/paging.ts'
import { endpointOf } from '../api/posted-request.ts'
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
  const [asking, setAsking] = useState<'resend' | 'give-up' | null>(null)
  useShortcut('r', () => setAsking('resend'))
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
          <>
            <Button small look="primary" icon={RotateCw} onClick={() => setAsking('resend')}>
              {t('Resend')}
            </Button>
            {delivery.next_attempt_at !== null && (
              <Button small onClick={() => setAsking('give-up')}>
                {t('Stop retries now')}
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded query={query} skeleton={<div aria-hidden className="skeleton h-80" />}>
        {shown => <Details delivery={shown} />}
      </Loaded>
      {asking === 'resend' && delivery && <Resend delivery={delivery} onClose={() => setAsking(null)} />}
      {asking === 'give-up' && delivery && <GiveUp delivery={delivery} onClose={() => setAsking(null)} />}
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
  const endpoint = endpointOf(delivery, useQuery(endpointsQuery).data)
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
    [t('Result'), <DeliveryStatusMark key="status" delivery={delivery} />],
    ...replayFacts(delivery),
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
    delivery.webhook_id === null
      ? [
          t('Endpoint'),
          <RecordLink key="endpoint" to="/endpoints/$id" params={{ id: delivery.endpoint_id ?? '' }}>
            {endpoint ? nameOfEndpoint(endpoint) : delivery.endpoint_id}
          </RecordLink>,
        ]
      : [
          t('Webhook'),
          <RecordLink key="webhook" mono to="/webhooks/$id" params={{ id: delivery.webhook_id }}>
            {delivery.webhook_id}
          </RecordLink>,
        ],
    ...(delivery.webhook_id === null
      ? []
      : [[t('Sent to'), t('{title} URL', { title: CATEGORY_WORDS[delivery.category].title })] as [string, ReactNode]]),
    [t('Id'), <CopyId key="id" id={delivery.id} className="-ml-1" />],
    ['X-Message-ID', <CopyId key="message-id" id={delivery.message_id} className="-ml-1" />],
    [t('Created'), <ExactTime key="created" at={delivery.created_at} />],
    ...(delivery.origin === 'event'
      ? []
      : [
          [t('Origin'), delivery.origin === 'resend' ? t('Resent manually') : t('Part of a replay')] as [
            string,
            ReactNode,
          ],
        ]),
  ]
}

/** Links between a dead letter and the delivery that replaced it. */
function replayFacts({ replayed_as, replay_of }: Delivery): [string, ReactNode][] {
  return [
    ...(replayed_as ? [[t('Replayed as'), <Other key="replayed-as" id={replayed_as} />] as [string, ReactNode]] : []),
    ...(replay_of ? [[t('Replay of'), <Other key="replay-of" id={replay_of} />] as [string, ReactNode]] : []),
  ]
}

const Other = ({ id }: { id: string }) => (
  <RecordLink mono to="/deliveries/$id" params={{ id }}>
    {id}
  </RecordLink>
)

/** What happened and what to do, in a sentence or two. */
function What({ delivery }: { delivery: Delivery }) {
  const last = delivery.attempts.at(-1)
  if (delivery.redelivered_at !== null)
    return (
      <Notice tone="calm">
        {t('The event was delivered later: {time}.', { time: localTime(delivery.redelivered_at) })}
      </Notice>
    )
  if (delivery.status === 'delivered') return null
  if (last === undefined) return delivery.reason ? <Notice tone="bad">{endOf(delivery)}</Notice> : null
  const words = failureWords(last)
  const { length: n } = delivery.attempts
  const tried = n === 1 ? t('Tried once.') : t('Tried {count} times.', { count: n })
  if (delivery.status === 'dead') {
    return (
      <Notice tone="bad">
        {rich('{failure} {end} {cure} Then resend it.', {
          failure: <b>{words.name}.</b>,
          end: endOf(delivery),
          cure: words.cure,
        })}
        {delivery.replaced_by && <Replacement id={delivery.replaced_by} />}
      </Notice>
    )
  }
  return (
    <Notice tone="waiting">
      <b>{words.name}.</b> {tried}
      {delivery.next_attempt_at
        ? ` ${t('Next attempt {time}.', { time: clockTime(delivery.next_attempt_at) })}`
        : ` ${t('The gateway stops its retries.')}`}{' '}
      {words.cure}
    </Notice>
  )
}

const endOf = (delivery: Delivery): string =>
  delivery.reason === 'given_up' ? t('The retries were stopped by hand before the last attempt.') : deathWords(delivery)

function Replacement({ id }: { id: string }) {
  return (
    <>
      {' '}
      {rich('It was sent again and failed: {id} replaces it.', {
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
    toast.done(t('The delivery is queued again.'))
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

function GiveUp({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const queries = useQueryClient()
  const giveUp = async () => {
    await take(api.POST('/v1/deliveries/{id}/give-up', { params: { path: { id: delivery.id } } }))
    toast.done(t('The delivery becomes a dead letter.'))
    await queries.invalidateQueries({ queryKey: ['deliveries'] })
    await queries.invalidateQueries({ queryKey: ['delivery', delivery.id] })
    await queries.invalidateQueries({ queryKey: ['stats'] })
  }
  return (
    <Confirm
      title={t('Stop the retries of this delivery?')}
      action={t('Stop retries now')}
      onConfirm={giveUp}
      onClose={onClose}
    >
      <p>{t('The gateway stops retrying it. It becomes a dead letter, which you can resend or replay.')}</p>
      <p>{t('An attempt in progress still counts if it succeeds.')}</p>
    </Confirm>
  )
}

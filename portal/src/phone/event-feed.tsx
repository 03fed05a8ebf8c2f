import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowUpRight } from 'lucide-react'
import { deliveriesQuery, matches } from '../api/deliveries.ts'
import { eventName, otherSide } from '../api/event-names.ts'
import { failureWords } from '../api/failures.ts'
import { useLiveState } from '../api/live.ts'
import { rowsOf } from '../api/paging.ts'
import type { Delivery, Session } from '../api/records.ts'
import { bareId, showJid } from '../api/sessions.ts'
import { useLiveRows } from '../api/use-live-rows.ts'
import { webhooksQuery } from '../api/webhooks.ts'
import { DeliveryStatusMark } from '../records/status-marks.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { LiveSign } from '../ui/live-sign.tsx'
import { milliseconds } from '../ui/numbers-format.ts'
import { ErrorNote } from '../ui/page.tsx'
import { EventLine } from './event-line.tsx'
import { ExactBody } from './exact-body.tsx'
import { ListenedFeed } from './listened-feed.tsx'
import { watchQuery } from './watched.ts'
import { t } from '../t.ts'

const SHOWN = 12

const filterOf = (session: Session) => ({ number: bareId(session.id) })

/** Whether the rows of the feed are still unknown. What stands below the feed would move when they arrive. */
export function useFeedPending(session: Session): boolean {
  const webhooks = useQuery(webhooksQuery)
  const hasWebhook = webhooks.data?.some(({ phone }) => phone === session.phone) === true
  const deliveries = useInfiniteQuery({ ...deliveriesQuery(filterOf(session)), enabled: hasWebhook })
  return webhooks.isPending || (hasWebhook && deliveries.isPending)
}

/** The events of the number as they happen: those that its webhook receives, or without one a listener. */
export function EventFeed({ session }: { session: Session }) {
  const webhooks = useQuery(webhooksQuery)
  const live = useLiveState()
  const webhook = webhooks.data?.find(({ phone }) => phone === session.phone)
  return (
    <section aria-labelledby="feed-title">
      <header className="flex min-h-9 items-center justify-between gap-3 border-b pb-1.5">
        <h2 id="feed-title" className="font-semibold">
          {webhooks.isSuccess && webhook === undefined
            ? t('What a webhook would receive')
            : t('What your webhook receives')}
        </h2>
        <LiveSign state={live} />
      </header>
      {webhooks.isSuccess && webhook === undefined && (
        <>
          <div className="flex flex-wrap items-center gap-3 border-b py-2.5">
            <p className="min-w-56 flex-1 text-muted">
              {t('This number has no webhook, so you do not receive its events.')}
            </p>
            <ButtonLink small to="/webhooks/new" search={{ number: session.id }}>
              {t('Set a webhook')}
            </ButtonLink>
          </div>
          <ListenedFeed session={session} shown={SHOWN} />
        </>
      )}
      {webhook !== undefined && <PostedFeed session={session} webhookId={webhook.id} />}
    </section>
  )
}

function PostedFeed({ session, webhookId }: { session: Session; webhookId: string }) {
  const filter = filterOf(session)
  const query = deliveriesQuery(filter)
  const deliveries = useInfiniteQuery(query)
  useQuery(watchQuery(session.id, webhookId))
  useLiveRows('delivery', query.queryKey, delivery => matches(filter, delivery))
  const rows = rowsOf(deliveries.data)
  return (
    <>
      {deliveries.error && <ErrorNote error={deliveries.error} retry={deliveries.refetch} />}
      {deliveries.isSuccess && rows.length === 0 && (
        <p className="py-10 text-center text-muted">
          {t('Nothing yet. Write something on the phone, or send to it. Typing is posted, but never shown here.')}
        </p>
      )}
      {rows.length > 0 && (
        <ul aria-label={t('Events')} className="divide-y">
          {rows.slice(0, SHOWN).map(delivery => (
            <Posted key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      )}
      {rows.length > SHOWN && (
        <Link
          to="/deliveries"
          search={filter}
          className="mt-2 inline-block text-[13px] text-accent underline underline-offset-2"
        >
          {t('All deliveries of this number')}
        </Link>
      )}
    </>
  )
}

function Posted({ delivery }: { delivery: Delivery }) {
  const last = delivery.attempts.at(-1)
  const who = otherSide(delivery)
  return (
    <EventLine
      type={eventName(delivery)}
      at={delivery.created_at}
      id={delivery.message_id}
      who={who && showJid(who)}
      result={
        <>
          <DeliveryStatusMark delivery={delivery} />
          <span className="text-right tabular-nums">{delivery.code ?? '–'}</span>
          <span className="w-14 text-right text-muted max-sm:hidden">{last ? milliseconds(last.latency_ms) : ''}</span>
        </>
      }
      link={
        <Link
          to="/deliveries/$id"
          params={{ id: delivery.id }}
          aria-label={t('Open the delivery')}
          title={t('Open the delivery')}
          className="grid size-8 shrink-0 place-items-center rounded-lg text-muted hover:bg-raised hover:text-ink"
        >
          <ArrowUpRight size={15} aria-hidden />
        </Link>
      }
    >
      {last?.status === 'failed' && (
        <p className="text-[13px] text-danger">
          {failureWords(last).name}. {failureWords(last).cure}
        </p>
      )}
      <ExactBody delivery={delivery} />
    </EventLine>
  )
}

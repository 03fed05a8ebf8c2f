import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { deliveriesQuery, matches } from '../api/deliveries.ts'
import { failureWords } from '../api/failures.ts'
import { useLiveState } from '../api/live.ts'
import { rowsOf } from '../api/paging.ts'
import type { Delivery, Session } from '../api/records.ts'
import { bareId } from '../api/sessions.ts'
import { useLiveRows } from '../api/use-live-rows.ts'
import { urlOf, webhooksQuery } from '../api/webhooks.ts'
import { DeliveryStatusMark } from '../records/status-marks.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { LiveSign } from '../ui/live-sign.tsx'
import { milliseconds } from '../ui/numbers-format.ts'
import { ErrorNote, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { ExactBody } from './exact-body.tsx'
import { watchQuery } from './watched.ts'

const SHOWN = 60

/** What the gateway posts to the webhook of the number, as it happens. */
export function EventFeed({ session }: { session: Session }) {
  const filter = { number: bareId(session.id) }
  const query = deliveriesQuery(filter)
  const deliveries = useInfiniteQuery(query)
  const webhooks = useQuery(webhooksQuery)
  const live = useLiveState()
  const webhook = webhooks.data?.find(({ phone }) => phone === session.phone)
  useQuery(watchQuery(session.id, webhook?.id))
  useLiveRows('delivery', query.queryKey, delivery => matches(filter, delivery))
  const rows = rowsOf(deliveries.data).slice(0, SHOWN)
  return (
    <Section title="What your webhook receives" action={<LiveSign state={live} />}>
      <div
        className="-mx-5 -my-4 h-[360px] overflow-y-auto"
        tabIndex={0}
        role="group"
        aria-label="Deliveries of the number"
      >
        {deliveries.error && <ErrorNote error={deliveries.error} retry={deliveries.refetch} />}
        {webhooks.isSuccess && webhook === undefined && (
          <div className="px-5 py-16 text-center">
            <p className="mb-3 text-muted">This number has no webhook, so its events go nowhere.</p>
            <ButtonLink look="primary" to="/webhooks/new" search={{ number: session.id }}>
              Set a webhook
            </ButtonLink>
          </div>
        )}
        {webhook !== undefined && deliveries.isSuccess && rows.length === 0 && (
          <p className="px-5 py-16 text-center text-muted">
            Nothing yet. Write something on the phone, or send to it. Typing is posted, but never shown here.
          </p>
        )}
        {rows.length > 0 && (
          <ul aria-label="Events" className="divide-y">
            {rows.map(delivery => (
              <FeedRow key={delivery.id} delivery={delivery} url={webhook && urlOf(webhook, delivery.category)} />
            ))}
          </ul>
        )}
      </div>
    </Section>
  )
}

function FeedRow({ delivery, url }: { delivery: Delivery; url: string | undefined }) {
  const [open, setOpen] = useState(false)
  const last = delivery.attempts.at(-1)
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-3 px-5 py-2.5 text-left text-[13px] hover:bg-raised"
      >
        <ChevronRight size={14} aria-hidden className={open ? 'shrink-0 rotate-90' : 'shrink-0'} />
        <code className="w-40 shrink-0 truncate font-mono font-medium">{kindWords(delivery)}</code>
        <span className="min-w-0 flex-1 truncate text-muted max-sm:hidden" title={url}>
          {url}
        </span>
        <DeliveryStatusMark status={delivery.status} />
        <span className="w-10 text-right tabular-nums">{delivery.code ?? '–'}</span>
        <span className="w-16 text-right text-muted max-sm:hidden">{last ? milliseconds(last.latency_ms) : ''}</span>
        <span className="w-16 text-right text-muted max-md:hidden">
          <Time at={delivery.created_at} />
        </span>
      </button>
      {open && (
        <div className="space-y-2 px-5 pb-3">
          {last?.status === 'failed' && (
            <p className="text-[13px] text-danger">
              {failureWords(last).name}. {failureWords(last).cure}
            </p>
          )}
          <ExactBody delivery={delivery} />
          <Link
            to="/deliveries/$id"
            params={{ id: delivery.id }}
            className="text-[13px] text-accent underline underline-offset-2"
          >
            Open the delivery
          </Link>
        </div>
      )}
    </li>
  )
}

function kindWords({ kind, payload }: Delivery): string {
  const { receipt_type, status, event, type } = (payload ?? {}) as Record<string, unknown>
  const detail = receipt_type ?? status ?? event ?? type
  return typeof detail === 'string' && detail !== '' ? `${kind} ${detail}` : kind
}

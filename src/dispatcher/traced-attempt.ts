import type { Context } from '../context.ts'
import type { DueDelivery } from '../domain/delivery.ts'
import type { Answer } from '../net/post.ts'
import type { Store } from '../store/store.ts'
import { tracesOf } from '../tracing/kept-traces.ts'
import type { Span } from '../tracing/tracing.ts'
import { unlessLate } from '../within.ts'
import type { Picked } from './fair-queue.ts'

export type TracedParts = Pick<Context, 'tracing' | 'log' | 'clock'> & { store: Pick<Store, 'tracing'> }

/** No delivery waits longer for its trace. */
const READ_MS = 250

/** The `traceparent` of a delivery's event, where the database tells it in time. */
export async function traceOfEvent(
  parts: TracedParts,
  { eventId }: Pick<DueDelivery, 'eventId'>,
): Promise<string | undefined> {
  if (parts.tracing === null) return undefined
  return (await unlessLate(parts.clock, READ_MS, tracesOf(parts, [eventId])))?.get(eventId)
}

/** The span of one attempt, under its event's; `null` where spans are not collected. Of its address only the host is told. */
export function beginAttemptSpan(
  { tracing }: Pick<TracedParts, 'tracing'>,
  { lane, delivery }: Pick<Picked, 'lane' | 'delivery'>,
  { url, parent }: { url: string; parent: string | undefined },
): Span | null {
  if (tracing === null) return null
  return tracing.begin({
    name: 'webhook.attempt',
    kind: 'client',
    parent,
    attributes: {
      'postern.account': delivery.accountId,
      'postern.webhook': lane.webhookId,
      'postern.category': lane.category,
      'postern.event': delivery.eventId,
      'postern.delivery': delivery.id,
      'postern.attempt': delivery.attempt + 1,
      'http.request.method': 'POST',
      'server.address': URL.canParse(url) ? new URL(url).hostname : undefined,
    },
  })
}

export function endAttemptSpan(span: Span | null, answer: Answer): void {
  span?.end({ 'http.response.status_code': answer.httpStatus }, answer.failure?.kind)
}

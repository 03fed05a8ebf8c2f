import type { Context } from '../context.ts'
import type { DueDelivery } from '../domain/delivery.ts'
import type { Answer } from '../net/post.ts'
import type { Store } from '../store/store.ts'
import { tracesOf } from '../observability/tracing/kept-traces.ts'
import type { Span } from '../observability/tracing/tracing.ts'
import { resolveWithin } from '../runtime/deadline.ts'
import type { Picked } from './fair-queue.ts'

export type TracedDeps = Pick<Context, 'tracing' | 'log' | 'clock'> & { store: Pick<Store, 'traces'> }

/** How long a delivery waits for its trace. */
const READ_MS = 250

/** The `traceparent` of a delivery's event, if the database returns it in time. */
export async function traceOfEvent(
  deps: TracedDeps,
  { eventId }: Pick<DueDelivery, 'eventId'>,
): Promise<string | undefined> {
  if (deps.tracing === null) return undefined
  return (await resolveWithin(deps.clock, READ_MS, tracesOf(deps, [eventId])))?.get(eventId)
}

/** The span of one attempt, under its event's; `null` without tracing. It has only the host of the URL. */
export function beginAttemptSpan(
  { tracing }: Pick<TracedDeps, 'tracing'>,
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
      'postern.category': lane.category ?? undefined,
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

import type { Context } from '../context.ts'
import type { Answer } from '../net/post.ts'
import type { Store } from '../store/store.ts'
import { tracesOf } from '../tracing/kept-traces.ts'
import type { Span } from '../tracing/tracing.ts'
import type { Picked } from './fair-queue.ts'

export type TracedParts = Pick<Context, 'tracing' | 'log'> & { store: Pick<Store, 'tracing'> }

/** The span of one attempt, under its event's; `null` where spans are not collected. Of its address only the host is told. */
export async function beginAttemptSpan(
  parts: TracedParts,
  { lane, delivery }: Pick<Picked, 'lane' | 'delivery'>,
  url: string,
): Promise<Span | null> {
  const { tracing } = parts
  if (tracing === null) return null
  return tracing.begin({
    name: 'webhook.attempt',
    kind: 'client',
    parent: (await tracesOf(parts, [delivery.eventId])).get(delivery.eventId),
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

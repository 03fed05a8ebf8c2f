import type { NewEvent } from '../store/events/events.ts'
import type { Store } from '../store/store.ts'
import { keepTraces, tracesOf } from '../observability/tracing/kept-traces.ts'
import type { HostDeps } from './deps.ts'

export type TracedDeps = Pick<HostDeps, 'tracing' | 'log'> & { store: Pick<Store, 'traces'> }

interface Published {
  event: Pick<NewEvent, 'id' | 'accountId' | 'kind' | 'category'>
  /** The sent message that the event reports on, and its state. */
  messageId?: string
  state?: string
}

/**
 * Publishes events, each in a span that starts when its cause was known: in the trace of the request that sent the message,
 * or in a new trace. The dispatcher continues the trace.
 */
export async function tracedPublish<T>(
  deps: TracedDeps,
  published: Published[],
  knownAtMs: number,
  publish: () => Promise<T>,
): Promise<T> {
  const { tracing } = deps
  if (tracing === null) return await publish()
  const messages = published.flatMap(({ messageId }) => messageId ?? [])
  const traces = await tracesOf(deps, [...new Set(messages)])
  const spans = published.map(({ event, messageId, state }) => ({
    id: event.id,
    span: tracing.begin({
      name: `event.${event.kind}`,
      kind: 'consumer',
      parent: messageId === undefined ? undefined : traces.get(messageId),
      atMs: knownAtMs,
      attributes: {
        'postern.account': event.accountId,
        'postern.event': event.id,
        'postern.category': event.category,
        'postern.message': messageId,
        'postern.state': state,
      },
    }),
  }))
  await keepTraces(
    deps,
    spans.map(({ id, span }) => ({ id, traceparent: span.traceparent, fromMs: null })),
  )
  try {
    const result = await publish()
    for (const { span } of spans) span.end()
    return result
  } catch (error) {
    for (const { span } of spans) span.end({}, 'commit_failed')
    throw error
  }
}

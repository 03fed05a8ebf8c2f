import { makeEvent } from '../actions/make-event.ts'
import type { Context } from '../context.ts'
import type { Attempt } from '../domain/delivery.ts'
import { NOTICE_AFTER_MS, SWITCH_OFF_AFTER_MS } from '../domain/endpoint.ts'
import type { EndpointEvent } from '../domain/event.ts'
import type { EndpointHealth } from '../store/endpoints/current-endpoints.ts'
import type { NewEvent } from '../store/events/events.ts'
import type { Store } from '../store/store.ts'
import type { CurrentEndpoint, CurrentWebhooks } from './current-webhooks.ts'
import type { Picked } from './fair-queue.ts'

type Deps = Pick<Context, 'seal' | 'log'> & { store: Pick<Store, 'endpoints'>; webhooks: CurrentWebhooks }

/** A failure that lasts less long is not recorded. */
const RECORD_AFTER_MS = 30_000

/** Records the changes of an endpoint's health that an attempt shows: few attempts show one. */
export async function recordHealth(
  deps: Deps,
  { endpoint, lane, delivery }: Picked,
  known: CurrentEndpoint,
  attempt: Attempt,
): Promise<void> {
  const id = lane.webhookId
  const sinceMs = known.failingSince ?? endpoint.failingSince ?? attempt.atMs
  const eventOf = (event: EndpointEvent['event']): NewEvent =>
    makeEvent(deps, delivery.accountId, {
      kind: 'endpoint',
      endpoint_id: id,
      event,
      failing_since_unix: Math.floor(sinceMs / 1_000),
      ...(attempt.code !== null && event !== 'recovered' && { last_status: attempt.code }),
      ...(attempt.error !== null && { last_error: attempt.error }),
      timestamp_unix: Math.floor(attempt.atMs / 1_000),
    })
  const health = changeOf(known, attempt, sinceMs, eventOf)
  if (health === undefined) return
  try {
    await deps.store.endpoints.recordEndpointHealth({ id, health })
    deps.webhooks.forget(id)
    logHealth(deps, { endpoint_id: id, account: delivery.accountId }, health.kind)
  } catch (error) {
    // The next attempt shows it again.
    deps.log.warn({ err: error, endpoint_id: id }, 'endpoint.health_record_failed')
  }
}

function logHealth({ log }: Pick<Context, 'log'>, about: object, kind: EndpointHealth['kind']): void {
  if (kind === 'notify') log.warn(about, 'endpoint.failing')
  if (kind === 'switch_off') log.warn(about, 'endpoint.switched_off')
  if (kind === 'answers') log.info(about, 'endpoint.recovered')
}

function changeOf(
  known: CurrentEndpoint,
  { delivered, atMs }: Attempt,
  sinceMs: number,
  eventOf: (event: EndpointEvent['event']) => NewEvent,
): EndpointHealth | undefined {
  if (delivered) {
    if (known.failingSince === null) return undefined
    return { kind: 'answers', event: known.notifiedAt === null ? null : eventOf('recovered') }
  }
  const lastedMs = atMs - sinceMs
  if (known.failingSince === null) return lastedMs < RECORD_AFTER_MS ? undefined : { kind: 'failing', sinceMs }
  if (lastedMs >= SWITCH_OFF_AFTER_MS) return { kind: 'switch_off', event: eventOf('switched_off') }
  if (lastedMs >= NOTICE_AFTER_MS && known.notifiedAt === null) return { kind: 'notify', event: eventOf('failing') }
  return undefined
}

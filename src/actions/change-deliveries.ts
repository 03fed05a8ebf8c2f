import { GatewayError, notFound, wrongState, conflicting, invalid, tooManyReplays } from '../domain/errors.ts'
import type { Resent } from '../store/deliveries/delivery-actions.ts'
import type { DeliveryEntry } from '../domain/delivery.ts'
import { makeId } from '../domain/ids.ts'
import type { Webhook } from '../domain/webhook.ts'
import type { Store } from '../store/store.ts'
import { REPLAY_FILTERS, type Replay } from '../store/replays/replays.ts'

/** Queues a new delivery of the same event, with the same X-Message-ID; rejects if the payload is no longer stored. */
export async function resendDelivery(
  { store }: { store: Pick<Store, 'deliveries'> },
  deliveryId: string,
): Promise<DeliveryEntry> {
  const resent = await store.deliveries.resendDelivery(deliveryId)
  if (resent.kind !== 'queued') throw resendError(resent)
  const entry = await store.deliveries.getDelivery(resent.deliveryId)
  if (entry === undefined) throw notFound('delivery')
  return entry
}

function resendError(resent: Exclude<Resent, { kind: 'queued' }>): GatewayError {
  switch (resent.kind) {
    case 'unknown':
      return notFound('delivery')
    case 'webhook_deleted':
      return wrongState('the webhook or endpoint of this delivery was deleted')
    case 'webhook_inactive':
      return wrongState('the webhook or endpoint of this delivery is not active')
    case 'url_empty':
      return wrongState(`${resent.category}_url of the webhook is empty`)
    case 'payload_gone':
      return new GatewayError(
        'payload_not_kept',
        'the payload of this delivery is no longer kept: the event was delivered',
      )
    case 'under_way':
      return wrongState('another delivery of this event is on its way: wait until it is delivered or dead')
    default: {
      const never: never = resent
      return never
    }
  }
}

/** Ends the retries of a queued delivery: its dispatcher makes it a dead letter next. */
export async function giveUpDelivery(
  { store }: { store: Pick<Store, 'deliveries'> },
  deliveryId: string,
): Promise<DeliveryEntry> {
  const outcome = await store.deliveries.giveUpDelivery(deliveryId)
  const entry = await store.deliveries.getDelivery(deliveryId)
  if (entry === undefined) throw notFound('delivery')
  if (outcome === 'already') throw wrongState('the retries of this delivery are stopped already')
  if (outcome === 'ended')
    throw wrongState(
      entry.status === 'delivered'
        ? 'this delivery is delivered already: it has no retries to stop'
        : 'this delivery is a dead letter already: it has no retries to stop',
    )
  return entry
}

/** Starts a job that sends a webhook's dead letters again, or retries its failed deliveries now. */
export async function replayDeliveries(
  { store }: { store: Pick<Store, 'replays'> },
  webhook: Pick<Webhook, 'id' | 'accountId'>,
  options: { sinceMs?: number; untilMs?: number; status?: string },
): Promise<Replay> {
  const filter = REPLAY_FILTERS.find(each => each === (options.status ?? 'dead'))
  if (filter === undefined) {
    throw invalid('status must be "dead" or "failed": the payloads of delivered events are not kept', 'status')
  }
  const sinceMs = options.sinceMs ?? 0
  const untilMs = options.untilMs ?? Number.MAX_SAFE_INTEGER
  if (sinceMs > untilMs) throw conflicting('since must not be after until', 'since')
  const created = await store.replays.createReplay({
    id: makeId('rpl'),
    accountId: webhook.accountId,
    webhookId: webhook.id,
    filter,
    sinceMs,
    untilMs,
  })
  switch (created.kind) {
    case 'created':
      return created.replay
    case 'running':
      throw wrongState(
        `replay ${created.replayId} of this webhook is still running: wait until it is done, or cancel it`,
      )
    case 'too_many':
      throw tooManyReplays()
    case 'nowhere':
      throw wrongState('the webhook is not active or has no URL: nothing could be sent')
    default: {
      const never: never = created
      return never
    }
  }
}

import type { DeliveryEntry } from '../domain/delivery.ts'
import { GatewayError, notFound, wrongState } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'
import type { Resent } from '../store/deliveries/resend.ts'

/** Queues a new delivery of the same event, with the same X-Message-ID; rejects where the payload is no longer stored. */
export async function resendDelivery(
  { store }: { store: Pick<Store, 'deliveries'> },
  deliveryId: string,
): Promise<DeliveryEntry> {
  const resent = await store.deliveries.resendDelivery(deliveryId)
  if (resent.kind !== 'queued') throw refusalOf(resent)
  const entry = await store.deliveries.getDelivery(resent.deliveryId)
  if (entry === undefined) throw notFound('delivery')
  return entry
}

function refusalOf(resent: Exclude<Resent, { kind: 'queued' }>): GatewayError {
  switch (resent.kind) {
    case 'unknown':
      return notFound('delivery')
    case 'webhook_deleted':
      return wrongState('the webhook of this delivery was deleted')
    case 'webhook_inactive':
      return wrongState('the webhook of this delivery is not active')
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

import type { DeliveryEntry } from '../domain/delivery.ts'
import { notFound, wrongState } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'

/** Ends the retries of a queued delivery: its dispatcher makes it a dead letter next. */
export async function giveUpDelivery(
  { store }: { store: Pick<Store, 'deliveries'> },
  deliveryId: string,
): Promise<DeliveryEntry> {
  const outcome = await store.deliveries.giveUpDelivery(deliveryId)
  const entry = await store.deliveries.getDelivery(deliveryId)
  if (entry === undefined) throw notFound('delivery')
  if (outcome === 'already') throw wrongState('this delivery is being given up already')
  if (outcome === 'ended')
    throw wrongState(
      entry.status === 'delivered'
        ? 'this delivery has arrived: there is nothing to give up'
        : 'this delivery is a dead letter already: nothing more is tried',
    )
  return entry
}

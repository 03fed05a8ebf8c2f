import type { Context } from '../context.ts'
import type { DeliveryEntry } from '../domain/delivery.ts'
import { notFound } from '../domain/errors.ts'

/** A new delivery of the same event, with the same X-Message-ID; refused where the payload is no longer kept. */
export async function resendDelivery({ store }: Pick<Context, 'store'>, deliveryId: string): Promise<DeliveryEntry> {
  const entry = await store.webhooks.getDelivery(await store.webhooks.resendDelivery(deliveryId))
  if (entry === undefined) throw notFound('delivery')
  return entry
}

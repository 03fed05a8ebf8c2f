import type { Origin } from '../../../domain/delivery.ts'
import { invalid, notFound } from '../../../domain/errors.ts'
import type { Tx } from '../../tx.ts'
import { PAST_DELIVERY, type PastDelivery, queueAgain, readUrls } from './queue-again.ts'

type Entry = PastDelivery & { origin: Origin }

/** A new delivery of the same event. Refused with the reason where that cannot be. */
export async function resendDelivery(tx: Tx, deliveryId: string): Promise<string> {
  const entry =
    (await tx.get<Entry>(`select ${PAST_DELIVERY}, h.origin from history h where h.id = ?`, deliveryId)) ??
    (await tx.get<Entry>(`select ${PAST_DELIVERY}, h.origin from dead_letters h where h.id = ?`, deliveryId))
  if (entry === undefined) throw notFound('delivery')
  const webhook = await readUrls(tx, entry.webhook_id)
  if (webhook === undefined) throw invalid('the webhook of this delivery was deleted')
  if (webhook.active !== 1) throw invalid('the webhook of this delivery is not active')
  if (webhook[entry.category] === '') throw invalid(`${entry.category}_url of the webhook is empty`)
  const event = await tx.get<{ pending: number }>(
    `select pending from events where id = ?${tx.forUpdate}`,
    entry.event_id,
  )
  if (event === undefined) throw invalid('the payload of this delivery is no longer kept: the event was delivered')
  const [id] = await queueAgain(tx, [entry], 'resend', await waitsForRetry(tx, entry))
  if (id === undefined) {
    throw invalid('another delivery of this event is on its way: wait until it is delivered or dead')
  }
  return id
}

/** One resend may go out beside the event's own delivery, which may have to wait for half an hour; nothing beside that. */
async function waitsForRetry(tx: Tx, entry: Entry): Promise<number> {
  if (entry.origin !== 'event') return 0
  return (await tx.get('select id from deliveries where id = ?', entry.id)) === undefined ? 0 : 1
}

import type { Origin } from '../../../domain/delivery.ts'
import type { Category } from '../../../domain/event.ts'
import type { Tx } from '../../tx.ts'
import { PAST_DELIVERY, type PastDelivery, queueAgain, readUrls } from './queue-again.ts'

type Entry = PastDelivery & { origin: Origin }

export type Resent =
  | { kind: 'queued'; deliveryId: string }
  | { kind: 'unknown' | 'webhook_deleted' | 'webhook_inactive' }
  | { kind: 'url_empty'; category: Category }
  /** The event was delivered. */
  | { kind: 'payload_gone' }
  /** Another delivery of the event is on its way. */
  | { kind: 'under_way' }

/** A new delivery of the same event. */
export async function resendDelivery(tx: Tx, deliveryId: string): Promise<Resent> {
  const entry =
    (await tx.get<Entry>(`select ${PAST_DELIVERY}, h.origin from history h where h.id = ?`, deliveryId)) ??
    (await tx.get<Entry>(`select ${PAST_DELIVERY}, h.origin from dead_letters h where h.id = ?`, deliveryId))
  if (entry === undefined) return { kind: 'unknown' }
  const webhook = await readUrls(tx, entry.webhook_id)
  if (webhook === undefined) return { kind: 'webhook_deleted' }
  if (webhook.active !== 1) return { kind: 'webhook_inactive' }
  if (webhook[entry.category] === '') return { kind: 'url_empty', category: entry.category }
  const event = await tx.get<{ pending: number }>(
    `select pending from events where id = ?${tx.forUpdate}`,
    entry.event_id,
  )
  if (event === undefined) return { kind: 'payload_gone' }
  const [id] = await queueAgain(tx, [entry], 'resend', await waitsForRetry(tx, entry))
  return id === undefined ? { kind: 'under_way' } : { kind: 'queued', deliveryId: id }
}

/** One resend may go out beside the event's own delivery, which may have to wait for half an hour; nothing beside that. */
async function waitsForRetry(tx: Tx, entry: Entry): Promise<number> {
  if (entry.origin !== 'event') return 0
  return (await tx.get('select id from deliveries where id = ?', entry.id)) === undefined ? 0 : 1
}

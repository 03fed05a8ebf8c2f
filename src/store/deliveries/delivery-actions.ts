import type { Origin } from '../../domain/delivery.ts'
import type { Category } from '../../domain/event.ts'
import type { Tx } from '../transaction.ts'
import { movePayloadToEvent } from '../events/stored-payloads.ts'
import { PAST_DELIVERY, type PastDelivery, queueAgain, readUrls } from './queue-again.ts'

/** `waits`: it is in the queue. */
type Entry = PastDelivery & { origin: Origin; waits: boolean }

export type Resent =
  | { kind: 'queued'; deliveryId: string }
  | { kind: 'unknown' | 'webhook_deleted' | 'webhook_inactive' }
  | { kind: 'url_empty'; category: Category }
  /** The event was delivered. */
  | { kind: 'payload_gone' }
  /** Another delivery of the event is under way. */
  | { kind: 'under_way' }

type Table = 'deliveries' | 'history' | 'dead_letters'

/** A new delivery of the same event. */
export async function resendDelivery(tx: Tx, deliveryId: string): Promise<Resent> {
  const entry =
    (await find(tx, 'deliveries', deliveryId)) ??
    (await find(tx, 'history', deliveryId)) ??
    (await find(tx, 'dead_letters', deliveryId))
  if (entry === undefined) return { kind: 'unknown' }
  const webhook = await readUrls(tx, entry.webhook_id)
  if (webhook === undefined) return { kind: 'webhook_deleted' }
  if (webhook.active !== 1) return { kind: 'webhook_inactive' }
  if (webhook[entry.category] === '') return { kind: 'url_empty', category: entry.category }
  if (entry.waits) await movePayloadToEvent(tx, entry.id)
  const event = await tx.get<{ pending: number }>(
    `select pending from events where id = ?${tx.forUpdate}`,
    entry.event_id,
  )
  if (event === undefined) return { kind: 'payload_gone' }
  const [id] = await queueAgain(tx, [entry], 'resend', maxUnderWay(entry))
  return id === undefined ? { kind: 'under_way' } : { kind: 'queued', deliveryId: id }
}

async function find(tx: Tx, table: Table, id: string): Promise<Entry | undefined> {
  const entry = await tx.get<PastDelivery & { origin: Origin }>(
    `select ${PAST_DELIVERY}, h.origin from ${table} h where h.id = ?`,
    id,
  )
  return entry && { ...entry, waits: table === 'deliveries' }
}

/** One resend may run at the same time as the event's own delivery, which may wait for half an hour; a second one may not. */
const maxUnderWay = ({ origin, waits }: Entry): number => (origin === 'event' && waits ? 1 : 0)

/** `ended`: it is no longer in the queue. */
type GivenUp = 'marked' | 'already' | 'ended'

/**
 * Marks a delivery and makes it due: its dispatcher makes it a dead letter instead of sending it. An attempt under way
 * ends first, so that its response is recorded and a success counts.
 */
export async function giveUpDelivery(tx: Tx, deliveryId: string): Promise<GivenUp> {
  const [marked] = await tx.all<{ lane: string }>(
    `update deliveries set given_up_at = ?, due_at = case when due_at > ? then ? else due_at end, updated_at = ?
     where id = ? and given_up_at is null returning lane`,
    tx.nowMs,
    tx.nowMs,
    tx.nowMs,
    tx.nowMs,
    deliveryId,
  )
  if (marked === undefined) {
    const waits = await tx.get('select id from deliveries where id = ?', deliveryId)
    return waits === undefined ? 'ended' : 'already'
  }
  tx.notify({ about: 'deliveries', lane: marked.lane, dueAt: tx.nowMs })
  return 'marked'
}

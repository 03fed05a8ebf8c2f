import { laneOf } from '../../domain/delivery.ts'
import type { Category } from '../../domain/event.ts'
import type { Tx } from '../transaction.ts'

/** `ended`: it is no longer in the queue. */
export type GivenUp = 'marked' | 'already' | 'ended'

/**
 * Marks a delivery and makes it due: its dispatcher makes it a dead letter instead of sending it. An attempt that is under
 * way ends first, so that its answer is recorded and a success counts.
 */
export async function giveUpDelivery(tx: Tx, deliveryId: string): Promise<GivenUp> {
  const [marked] = await tx.all<{ webhook_id: string; category: Category }>(
    `update deliveries set given_up_at = ?, due_at = case when due_at > ? then ? else due_at end, updated_at = ?
     where id = ? and given_up_at is null returning webhook_id, category`,
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
  tx.notify({ about: 'deliveries', lane: laneOf(marked.webhook_id, marked.category), dueAt: tx.nowMs })
  return 'marked'
}

import { laneOf, shardOf } from '../../domain/delivery.ts'
import { CATEGORIES } from '../../domain/event.ts'
import type { Tx } from '../transaction.ts'

/** More than these wait for their time, half an hour at most: a commit stays short. */
const AT_ONCE = 500

/**
 * Ends what waits for webhooks that are off from this commit on: it is due now, and a dispatcher that finds the webhook off
 * sends nothing but makes each a dead letter with its reason.
 */
export async function endDeliveries(tx: Tx, webhookIds: string[]): Promise<void> {
  for (const id of [...webhookIds].sort()) {
    for (const category of CATEGORIES) {
      const lane = laneOf(id, category)
      const changed = await tx.run(
        `update deliveries set due_at = ? where due_at > ? and id in (
           select id from deliveries where shard = ? and lane = ? and due_at > ? order by due_at, id limit ${AT_ONCE})`,
        tx.nowMs,
        tx.nowMs,
        shardOf(id),
        lane,
        tx.nowMs,
      )
      if (changed > 0) tx.notify({ about: 'deliveries', lane, dueAt: tx.nowMs })
    }
    tx.notify({ about: 'webhooks', webhookId: id })
  }
}

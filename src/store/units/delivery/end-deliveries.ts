import { laneOf, shardOf } from '../../../domain/delivery.ts'
import { CATEGORIES } from '../../../domain/event.ts'
import type { Tx } from '../../tx.ts'

/**
 * Ends what waits for webhooks that are off from this commit on: all of it is due now, and a dispatcher that finds the
 * webhook off sends nothing but makes each a dead letter with its reason.
 */
export async function endDeliveries(tx: Tx, webhookIds: string[]): Promise<void> {
  for (const id of [...webhookIds].sort()) {
    for (const category of CATEGORIES) {
      const lane = laneOf(id, category)
      const changed = await tx.run(
        'update deliveries set due_at = ? where shard = ? and lane = ? and due_at > ?',
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

import { firstIdAt } from '../../domain/ids.ts'
import type { Tx } from '../transaction.ts'
import type { AttemptResult } from '../deliveries/attempt-result.ts'

/**
 * What became of the deliveries of replay jobs, counted with the job: whatever becomes of their events later changes
 * nothing of it. The jobs of a webhook follow each other, so a delivery is of the last one that was there before it.
 */
export async function countReplayed(tx: Tx, ended: AttemptResult[]): Promise<void> {
  const replayed = ended.filter(({ origin }) => origin === 'replay')
  for (const webhookId of [...new Set(replayed.map(result => result.webhookId))].sort()) {
    const jobs = await tx.all<{ id: string; created_at: number }>(
      `select id, created_at from replays where webhook_id = ? and filter = 'dead' order by id desc`,
      webhookId,
    )
    const counts = new Map(jobs.map(({ id }) => [id, { delivered: 0, failed: 0 }]))
    for (const { deliveryId, next } of replayed.filter(result => result.webhookId === webhookId)) {
      const job = jobs.find(({ created_at }) => firstIdAt('dlv', created_at) <= deliveryId)
      if (job) counts.get(job.id)![next.kind === 'delivered' ? 'delivered' : 'failed'] += 1
    }
    // In one order, so that no two commits wait for each other.
    for (const [id, { delivered, failed }] of counts)
      if (delivered + failed > 0)
        await tx.run(
          'update replays set delivered = delivered + ?, failed = failed + ? where id = ?',
          delivered,
          failed,
          id,
        )
  }
}

import { firstIdAt } from '../../../domain/ids.ts'
import type { Tx } from '../../tx.ts'
import type { AttemptResult } from './attempt-result.ts'

/**
 * What became of the deliveries of replay jobs, counted with the job: whatever becomes of their events later changes
 * nothing of it. The jobs of a webhook follow each other, so a delivery is of the last one that was there before it.
 */
export async function countReplayed(tx: Tx, outcome: 'delivered' | 'failed', results: AttemptResult[]): Promise<void> {
  const replayed = results.filter(({ origin }) => origin === 'replay')
  for (const webhookId of [...new Set(replayed.map(result => result.webhookId))].sort()) {
    const jobs = await tx.all<{ id: string; created_at: number }>(
      `select id, created_at from replays where webhook_id = ? and filter = 'dead' order by id desc`,
      webhookId,
    )
    const counts = new Map<string, number>()
    for (const { deliveryId } of replayed.filter(result => result.webhookId === webhookId)) {
      const job = jobs.find(({ created_at }) => firstIdAt('dlv', created_at) <= deliveryId)
      if (job) counts.set(job.id, (counts.get(job.id) ?? 0) + 1)
    }
    // In one order, so that no two commits wait for each other.
    for (const { id } of jobs.filter(job => counts.has(job.id)))
      await tx.run(`update replays set ${outcome} = ${outcome} + ? where id = ?`, counts.get(id)!, id)
  }
}

import { BOUNDS } from '../../domain/bounds.ts'
import type { Tx } from '../transaction.ts'
import type { AttemptResult } from './attempt-result.ts'

const LETTER = `id, account_id, event_id, webhook_id, session_id, kind, event_type, category, dedupe_id, origin, reason,
  attempts, created_at`

/**
 * There is one dead letter for each event and receiver: the failed resend replaces the earlier one, which can still be read by its
 * id.
 */
export async function replaceEarlier(tx: Tx, results: AttemptResult[]): Promise<void> {
  const latest = new Map(results.map(result => [`${result.eventId} ${result.webhookId}`, result]))
  const r = tx.values(
    { event_id: 'text', webhook_id: 'text', id: 'text' },
    [...latest.values()].map(({ eventId, webhookId, deliveryId }) => ({
      event_id: eventId,
      webhook_id: webhookId,
      id: deliveryId,
    })),
  )
  const letters = tx.ids(results.map(({ deliveryId }) => deliveryId))
  const earlier = `from ${r.sql} r cross join dead_letters l
    where l.event_id = r.event_id and l.webhook_id = r.webhook_id and l.id not in (select n.id from ${letters.sql} n)`
  const params = [...r.params, ...letters.params]
  const replaced = await tx.run(
    `insert into replaced_letters (${LETTER}, updated_at, redacted, replaced_by, replayed_as)
     select ${LETTER.replace(/\w+/g, column => `l.${column}`)}, ?, l.redacted, r.id, l.replayed_as ${earlier}`,
    tx.nowMs,
    ...params,
  )
  if (replaced > 0) await tx.run(`delete from dead_letters where id in (select l.id ${earlier})`, ...params)
}

/**
 * Deletes replaced dead letters that the plan no longer keeps, and the oldest of many. Returns the largest number that
 * one step deleted.
 */
export async function dropReplacedDeadLetters(
  tx: Tx,
  { accountId, oldestMs, limit }: { accountId: string; oldestMs: number; limit: number },
): Promise<number> {
  const outlived = await tx.run(
    `delete from replaced_letters where id in (
       select id from replaced_letters where account_id = ? and created_at < ? order by id limit ?)`,
    accountId,
    oldestMs,
    limit,
  )
  const beyond = await tx.run(
    `delete from replaced_letters where id in (
       select id from replaced_letters where account_id = ? order by id desc limit ? offset ${BOUNDS.replacedLetters})`,
    accountId,
    limit,
  )
  return Math.max(outlived, beyond)
}

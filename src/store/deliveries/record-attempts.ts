import type { Tx } from '../transaction.ts'
import { type AttemptResult, idsOf, type Recorded } from './attempt-result.ts'
import { finishDelivered, type Removed, removeFinished } from './finish-delivered.ts'
import { heldLeases } from '../leases/fence.ts'
import { IS_OPEN } from './dead-letters.ts'
import { replaceEarlier } from './replaced-dead-letters.ts'
import { countReplayed } from '../replays/replay-progress.ts'
import { storePayloads } from '../events/stored-payloads.ts'
import { addUsagePerAccount } from '../usage/usage.ts'

/** Records the results of attempts and the next due times in one transaction. Only the owner of a shard may write. */
export async function recordAttempts(tx: Tx, results: AttemptResult[]): Promise<Recorded[]> {
  const holds = await heldLeases(
    tx,
    results.map(result => result.lease),
  )
  const own = results.filter(result => holds(result.lease))
  const delivered = own.filter(result => result.next.kind === 'delivered')
  const dead = own.filter(result => result.next.kind === 'dead')
  const rescheduled = await reschedule(
    tx,
    own.filter(({ next }) => next.kind === 'retry' || next.kind === 'wait'),
  )
  await keepPayloads(tx, dead)
  const removed: Removed = new Map([...(await finishDelivered(tx, delivered)), ...(await removeFinished(tx, dead))])
  await storeDeadLetters(tx, dead, removed)
  await finishDeliveredEvents(tx, delivered, removed)
  await countReplayed(
    tx,
    [...dead, ...delivered].filter(({ deliveryId }) => removed.has(deliveryId)),
  )
  await addUsagePerAccount(
    tx,
    'delivery_failed',
    own.filter(
      ({ deliveryId, next }) => next.kind !== 'delivered' && (removed.has(deliveryId) || rescheduled.has(deliveryId)),
    ),
  )
  return results.map(({ deliveryId }) => {
    if (removed.has(deliveryId)) return { kind: 'recorded', dueAt: null }
    const dueAt = rescheduled.get(deliveryId)
    return dueAt === undefined ? { kind: 'stale' } : { kind: 'recorded', dueAt }
  })
}

/** The results whose event has a separate row. */
const stored = (results: AttemptResult[], removed: Removed): AttemptResult[] =>
  results.filter(({ deliveryId }) => removed.get(deliveryId) === false)

async function reschedule(tx: Tx, results: AttemptResult[]): Promise<Map<string, number>> {
  if (results.length === 0) return new Map()
  const r = tx.values(
    { id: 'text', before: 'bigint', after: 'bigint', attempts: 'text', due_at: 'bigint', at: 'bigint' },
    results.map(({ deliveryId, attemptsBefore, attemptsAfter, attempts, next }) => ({
      id: deliveryId,
      before: attemptsBefore,
      after: attemptsAfter,
      attempts,
      due_at: next.kind === 'retry' ? tx.nowMs + next.delayMs : null,
      at: tx.nowMs,
    })),
  )
  const named = tx.among('deliveries.id', idsOf(results))
  const rows = await tx.all<{ id: string; due_at: number }>(
    `update deliveries set attempt = r.after, attempts = r.attempts, updated_at = r.at,
       due_at = case when given_up_at is not null then r.at else coalesce(r.due_at, deliveries.due_at) end from ${r.sql} r
     where deliveries.id = r.id and deliveries.attempt = r.before${named.sql} returning deliveries.id, deliveries.due_at`,
    ...r.params,
    ...named.params,
  )
  return new Map(rows.map(row => [row.id, row.due_at]))
}

/** Stores the payload of a delivery that dies with its event. */
async function keepPayloads(tx: Tx, results: AttemptResult[]): Promise<void> {
  if (results.length === 0) return
  const r = tx.values(
    { id: 'text', attempt: 'bigint' },
    results.map(result => ({ id: result.deliveryId, attempt: result.attemptsBefore })),
  )
  const named = tx.among('d.id', idsOf(results))
  const params = [...r.params, ...named.params]
  // Locked first, because a resend moves the payload too.
  await tx.all(
    `select d.id from deliveries d where d.id in (select r.id from ${r.sql} r)${named.sql} order by d.id${tx.forUpdate}`,
    ...params,
  )
  await storePayloads(tx, `(d.id, d.attempt) in (select r.id, r.attempt from ${r.sql} r)${named.sql}`, params)
}

/** A dead letter keeps its payload until the plan's retention ends. */
async function storeDeadLetters(tx: Tx, dead: AttemptResult[], removed: Removed): Promise<void> {
  const results = dead.filter(({ deliveryId }) => removed.has(deliveryId))
  if (results.length === 0) return
  await tx.insert(
    'dead_letters',
    results.map(({ deliveryId, eventId, accountId, origin, attempts, next }) => {
      if (next.kind !== 'dead') throw new Error('not a dead letter')
      const { deadLetter } = next
      return {
        id: deliveryId,
        account_id: accountId,
        event_id: eventId,
        webhook_id: deadLetter.webhookId,
        session_id: deadLetter.sessionId,
        kind: deadLetter.kind,
        event_type: deadLetter.eventType,
        category: deadLetter.category,
        dedupe_id: deadLetter.dedupeId,
        origin,
        reason: next.reason,
        attempts,
        created_at: deadLetter.createdAt,
        updated_at: tx.nowMs,
        redelivered_at: null,
        redacted: deadLetter.redacted,
        replayed_as: null,
      }
    }),
  )
  const ended = stored(results, removed)
  if (ended.length > 0) {
    const counts = countByEvent(tx, ended)
    await tx.run(
      `update events set pending = pending - r.n from ${counts.sql} r where events.id = r.id${counts.named}`,
      ...counts.params,
    )
  }
  await replaceEarlier(tx, results)
}

async function finishDeliveredEvents(tx: Tx, delivered: AttemptResult[], removed: Removed): Promise<void> {
  const results = delivered.filter(({ deliveryId }) => removed.has(deliveryId))
  if (results.length === 0) return
  // An event's own delivery may succeed after a concurrent resend has died: its payload is stored then.
  const again = results.filter(({ origin, deliveryId }) => origin !== 'event' || removed.get(deliveryId) === false)
  if (again.length > 0) await markRedelivered(tx, again)
  await dropPayloads(tx, stored(results, removed))
}

async function markRedelivered(tx: Tx, results: AttemptResult[]): Promise<void> {
  const r = tx.values(
    { event_id: 'text', webhook_id: 'text' },
    results.map(({ eventId, webhookId }) => ({ event_id: eventId, webhook_id: webhookId })),
  )
  await tx.run(
    `update dead_letters set redelivered_at = ?, updated_at = ?
     where ${IS_OPEN} and (event_id, webhook_id) in (select r.event_id, r.webhook_id from ${r.sql} r)`,
    tx.nowMs,
    tx.nowMs,
    ...r.params,
  )
}

/** No dead letter of another receiver needs the payload. */
const UNNEEDED = `not exists (select 1 from dead_letters l where l.event_id = events.id and l.${IS_OPEN})`

/** Deletes a payload when the last delivery of its event is done. Almost always there is only one. */
async function dropPayloads(tx: Tx, results: AttemptResult[]): Promise<void> {
  if (results.length === 0) return
  const counts = countByEvent(tx, results)
  const dropped = await tx.run(
    `delete from events where pending = 1 and ${UNNEEDED}
       and id in (select r.id from ${counts.sql} r where r.n = 1)${counts.named}`,
    ...counts.params,
  )
  if (dropped === results.length) return
  await tx.run(
    `update events set pending = pending - r.n from ${counts.sql} r where events.id = r.id${counts.named}`,
    ...counts.params,
  )
  await tx.run(
    `delete from events where pending <= 0 and ${UNNEEDED}
       and id in (select r.id from ${counts.sql} r)${counts.named}`,
    ...counts.params,
  )
}

function countByEvent(tx: Tx, results: AttemptResult[]) {
  const counts = new Map<string, number>()
  for (const { eventId } of results) counts.set(eventId, (counts.get(eventId) ?? 0) + 1)
  const { sql, params } = tx.values(
    { id: 'text', n: 'bigint' },
    [...counts].map(([id, n]) => ({ id, n })),
  )
  const named = tx.among('events.id', [...counts.keys()])
  return { sql, named: named.sql, params: [...params, ...named.params] }
}

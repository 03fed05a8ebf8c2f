import { BOUNDS } from '../../../domain/bounds.ts'
import type { DeathReason, Origin } from '../../../domain/delivery.ts'
import type { Category, EventKind, HistoryType } from '../../../domain/event.ts'
import type { Lease } from '../../../domain/lease.ts'
import type { Tx } from '../../tx.ts'
import { NO_SLOT } from './events.ts'
import { heldLeases } from '../leases/fence.ts'
import { addUsage, type Metric } from '../accounts/usage.ts'

export interface AttemptResult {
  deliveryId: string
  eventId: string
  accountId: string
  slot: number
  origin: Origin
  /** The right to write for the delivery's shard. */
  lease: Lease
  /** Attempts that were recorded before this result: a result is written once. */
  attemptsBefore: number
  attemptsAfter: number
  /** All attempts so far, JSON text. */
  attempts: string
  next: Next
}

export type Next =
  | { kind: 'delivered' }
  | { kind: 'retry'; delayMs: number }
  | { kind: 'dead'; reason: DeathReason; deadLetter: DeadLetter }

/** What is kept of a dead letter besides its payload. */
export interface DeadLetter {
  webhookId: string
  sessionId: string
  kind: EventKind
  eventType: HistoryType | null
  category: Category
  dedupeId: string
  createdAt: number
  redacted: string
}

/** `stale`: the shard has another owner by now, or the result was written before. */
export type Recorded = { kind: 'recorded'; dueAt: number | null } | { kind: 'stale' }

/** What came of attempts, and when the next ones are due: one commit. Only the owner of a shard may write. */
export async function recordAttempts(tx: Tx, results: AttemptResult[]): Promise<Recorded[]> {
  const holds = await heldLeases(
    tx,
    results.map(result => result.lease),
  )
  const own = results.filter(result => holds(result.lease))
  const removed = await removeFinished(
    tx,
    own.filter(result => result.next.kind !== 'retry'),
  )
  const rescheduled = await reschedule(
    tx,
    own.filter(result => result.next.kind === 'retry'),
  )
  const written = own.filter(({ deliveryId }) => removed.has(deliveryId) || rescheduled.has(deliveryId))
  await updateHistory(tx, written)
  await bury(
    tx,
    written.filter(result => result.next.kind === 'dead'),
  )
  await settleDelivered(
    tx,
    written.filter(result => result.next.kind === 'delivered'),
  )
  await countPerAccount(
    tx,
    'delivery_failed',
    written.filter(result => result.next.kind !== 'delivered'),
  )
  return results.map(({ deliveryId }) => {
    if (removed.has(deliveryId)) return { kind: 'recorded', dueAt: null }
    const dueAt = rescheduled.get(deliveryId)
    return dueAt === undefined ? { kind: 'stale' } : { kind: 'recorded', dueAt }
  })
}

async function removeFinished(tx: Tx, results: AttemptResult[]): Promise<Set<string>> {
  if (results.length === 0) return new Set()
  const r = tx.values(
    { id: 'text', attempt: 'bigint' },
    results.map(result => ({ id: result.deliveryId, attempt: result.attemptsBefore })),
  )
  const rows = await tx.all<{ id: string }>(
    `delete from deliveries where (id, attempt) in (select id, attempt from ${r.sql} r) returning id`,
    ...r.params,
  )
  return new Set(rows.map(row => row.id))
}

async function reschedule(tx: Tx, results: AttemptResult[]): Promise<Map<string, number>> {
  if (results.length === 0) return new Map()
  const r = tx.values(
    { id: 'text', before: 'bigint', after: 'bigint', attempts: 'text', due_at: 'bigint' },
    results.map(({ deliveryId, attemptsBefore, attemptsAfter, attempts, next }) => ({
      id: deliveryId,
      before: attemptsBefore,
      after: attemptsAfter,
      attempts,
      due_at: tx.nowMs + (next.kind === 'retry' ? next.delayMs : 0),
    })),
  )
  const rows = await tx.all<{ id: string; due_at: number }>(
    `update deliveries set attempt = r.after, attempts = r.attempts, due_at = r.due_at from ${r.sql} r
     where deliveries.id = r.id and deliveries.attempt = r.before returning deliveries.id, deliveries.due_at`,
    ...r.params,
  )
  return new Map(rows.map(row => [row.id, row.due_at]))
}

/** The entry may be gone: newer ones have gone over its slot. A dead letter leaves the ring. */
async function updateHistory(tx: Tx, results: AttemptResult[]): Promise<void> {
  const recorded = results.filter(result => result.slot !== NO_SLOT)
  if (recorded.length === 0) return
  const r = tx.values(
    { account_id: 'text', slot: 'bigint', id: 'text', status: 'text', attempts: 'text' },
    recorded.map(({ accountId, slot, deliveryId, next, attempts }) => ({
      account_id: accountId,
      slot,
      id: deliveryId,
      status: next.kind === 'retry' ? 'failed' : next.kind,
      attempts,
    })),
  )
  await tx.run(
    `update history set status = r.status, attempts = r.attempts, updated_at = ? from ${r.sql} r
     where history.account_id = r.account_id and history.slot = r.slot and history.id = r.id`,
    tx.nowMs,
    ...r.params,
  )
  const dead = recorded.filter(result => result.next.kind === 'dead')
  for (const { accountId, slot, deliveryId } of dead) {
    await tx.run('delete from history where account_id = ? and slot = ? and id = ?', accountId, slot, deliveryId)
  }
}

/** A dead letter keeps its payload until the plan's retention ends. */
async function bury(tx: Tx, results: AttemptResult[]): Promise<void> {
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
      }
    }),
  )
  const counts = countByEvent(tx, results)
  await tx.run(
    `update events set pending = pending - r.n from ${counts.sql} r where events.id = r.id`,
    ...counts.params,
  )
  const again = results.filter(result => result.origin !== 'event')
  for (const eventId of new Set(again.map(result => result.eventId))) await dropOldDeadLetters(tx, eventId)
}

async function dropOldDeadLetters(tx: Tx, eventId: string): Promise<void> {
  await tx.run(
    `delete from dead_letters where event_id = ? and id not in (
       select id from dead_letters where event_id = ? order by id desc limit ?)`,
    eventId,
    eventId,
    BOUNDS.deadLettersOfEvent,
  )
}

async function settleDelivered(tx: Tx, results: AttemptResult[]): Promise<void> {
  if (results.length === 0) return
  await dropPayloads(tx, results)
  const again = results.filter(result => result.origin !== 'event')
  for (const eventId of new Set(again.map(result => result.eventId))) {
    await tx.run(
      'update dead_letters set redelivered_at = ?, updated_at = ? where event_id = ?',
      tx.nowMs,
      tx.nowMs,
      eventId,
    )
  }
  await countPerAccount(tx, 'deliveries', results)
}

async function countPerAccount(tx: Tx, metric: Metric, results: AttemptResult[]): Promise<void> {
  if (results.length === 0) return
  const perAccount = new Map<string, number>()
  for (const { accountId } of results) perAccount.set(accountId, (perAccount.get(accountId) ?? 0) + 1)
  await addUsage(
    tx,
    [...perAccount].map(([accountId, n]) => ({ accountId, metric, n })),
  )
}

/** A payload goes when the last delivery of its event is done. Almost always that is the only one. */
async function dropPayloads(tx: Tx, results: AttemptResult[]): Promise<void> {
  const counts = countByEvent(tx, results)
  const dropped = await tx.run(
    `delete from events where pending = 1 and id in (select r.id from ${counts.sql} r where r.n = 1)`,
    ...counts.params,
  )
  if (dropped === results.length) return
  await tx.run(
    `update events set pending = pending - r.n from ${counts.sql} r where events.id = r.id`,
    ...counts.params,
  )
  await tx.run(`delete from events where pending <= 0 and id in (select r.id from ${counts.sql} r)`, ...counts.params)
}

function countByEvent(tx: Tx, results: AttemptResult[]) {
  const counts = new Map<string, number>()
  for (const { eventId } of results) counts.set(eventId, (counts.get(eventId) ?? 0) + 1)
  return tx.values(
    { id: 'text', n: 'bigint' },
    [...counts].map(([id, n]) => ({ id, n })),
  )
}

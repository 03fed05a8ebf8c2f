import type { DeathReason, Origin } from '../../domain/delivery.ts'
import type { Category, EventKind, HistoryType } from '../../domain/event.ts'
import type { Lease } from '../../domain/lease.ts'

export interface AttemptResult {
  deliveryId: string
  eventId: string
  accountId: string
  webhookId: string
  /** Whether the history tells of it. */
  isRecorded: boolean
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

export const idsOf = (results: AttemptResult[]): string[] => results.map(({ deliveryId }) => deliveryId)

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

import type { DeathReason, Origin } from '../../domain/delivery.ts'
import type { AnyKind, Category, HistoryType } from '../../domain/event.ts'
import type { Lease } from '../../domain/lease.ts'

export interface AttemptResult {
  deliveryId: string
  eventId: string
  accountId: string
  webhookId: string
  /** Whether the history shows it. */
  isRecorded: boolean
  origin: Origin
  /** The lease of the delivery's shard. */
  lease: Lease
  /** Attempts recorded before this result, so that a result is written once. */
  attemptsBefore: number
  attemptsAfter: number
  /** All attempts so far, as JSON. */
  attempts: string
  next: Next
}

export const idsOf = (results: AttemptResult[]): string[] => results.map(({ deliveryId }) => deliveryId)

export type Next =
  | { kind: 'delivered' }
  | { kind: 'retry'; delayMs: number }
  /** It keeps its due time, and so its place before later deliveries. */
  | { kind: 'wait' }
  | { kind: 'dead'; reason: DeathReason; deadLetter: DeadLetter }

/** The fields of a dead letter besides its payload. */
export interface DeadLetter {
  webhookId: string
  sessionId: string
  kind: AnyKind
  eventType: HistoryType | null
  category: Category
  dedupeId: string
  createdAt: number
  redacted: string
}

/** `stale`: another dispatcher owns the shard, or the result was recorded before. */
export type Recorded = { kind: 'recorded'; dueAt: number | null } | { kind: 'stale' }

import { EXCHANGE_FAILURE_KINDS } from './exchange-failure.ts'
import { CATEGORIES, type Category, type EventKind, type HistoryType } from './event.ts'

/** A delivery is tried once, and again after each of as many delays. */
export const RETRIES = 3
export const MAX_ATTEMPTS = RETRIES + 1

/** `failed`: the last attempt failed and another is due. `dead`: nothing more is tried. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'dead'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** Why a delivery exists: its event, a customer's wish, or a replay job. */
export type Origin = 'event' | 'resend' | 'replay'

/** Why nothing more is tried. */
export const DEATH_REASONS = [
  'attempts_exhausted',
  'category_disabled',
  'webhook_deleted',
  'webhook_inactive',
  'payload_unreadable',
  'given_up',
] as const
export type DeathReason = (typeof DEATH_REASONS)[number]

/** Why an attempt failed; `internal` where our own code broke. */
export const ATTEMPT_ERRORS = [...EXCHANGE_FAILURE_KINDS, 'internal'] as const
export type AttemptError = (typeof ATTEMPT_ERRORS)[number]

/** One POST as history shows it. */
export interface Attempt {
  attempt: number
  atMs: number
  delivered: boolean
  code: number | null
  latencyMs: number
  /** `null` for a 2xx. */
  error: AttemptError | null
  excerpt: string
  /** Where it went, without its query, which may hold a secret; absent of older ones. */
  url?: string
  /** What may be shown of the answer's headers. */
  headers?: Readonly<Record<string, string>>
}

/** An entry of the delivery history. */
export interface DeliveryEntry {
  id: string
  accountId: string
  eventId: string
  webhookId: string
  sessionId: string
  kind: EventKind
  eventType: HistoryType
  category: Category
  dedupeId: string
  status: DeliveryStatus
  reason: DeathReason | null
  origin: Origin
  attempts: Attempt[]
  nextAttemptAt: number | null
  redeliveredAt: number | null
  /** Of a dead letter whose event was sent again in vain: the one that has taken its place. */
  replacedBy: string | null
  /** The delivery that sent a dead letter again, and the dead letter that this delivery sends again. */
  replayedAs: string | null
  replayOf: string | null
  createdAt: number
  updatedAt: number
  /** The payload as history keeps it, JSON text. */
  redacted: string
}

/** A delivery whose time has come, with what its attempt needs. */
export interface DueDelivery {
  id: string
  eventId: string
  accountId: string
  lane: string
  origin: Origin
  /** How the history names its event; `null` is never recorded. */
  eventType: HistoryType | null
  /** Attempts made so far, and what came of them as JSON text. */
  attempt: number
  attempts: string
  dueAt: number
  dedupeId: string
  bytes: number
  /** What it carries; `null` where the payload is stored with the event, and read when it is attempted. */
  sealed: Uint8Array | null
  /** When a customer ended it: nothing more is sent of it. */
  givenUpAt: number | null
}

/** Webhooks are spread over this many shards; a dispatcher owns whole shards. */
export const SHARDS = 64

export function shardOf(webhookId: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < webhookId.length; i++) hash = Math.imul(hash ^ webhookId.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % SHARDS
}

/** The line that the deliveries of one category of one webhook stand in. */
export const laneOf = (webhookId: string, category: Category): string => `${webhookId}:${category}`

export function parseLane(lane: string): { webhookId: string; category: Category } {
  const colon = lane.lastIndexOf(':')
  const category = CATEGORIES.find(name => name === lane.slice(colon + 1))
  if (category === undefined) throw new Error('a lane without a category')
  return { webhookId: lane.slice(0, colon), category }
}

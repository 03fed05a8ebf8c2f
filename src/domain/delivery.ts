import { EXCHANGE_FAILURE_KINDS } from './exchange-failure.ts'
import { isEndpointId } from './endpoint.ts'
import { type AnyKind, CATEGORIES, type Category, type HistoryType } from './event.ts'

/** How many retries follow the first attempt of a delivery. */
export const RETRIES = 3
export const MAX_ATTEMPTS = RETRIES + 1

/** `failed`: the last attempt failed and another is due. `dead`: no attempt follows. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'dead'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** Why a delivery exists: its event, a customer's resend, or a replay job. */
export type Origin = 'event' | 'resend' | 'replay'

/** Why no attempt follows. */
export const DEATH_REASONS = [
  'attempts_exhausted',
  'category_disabled',
  'webhook_deleted',
  'webhook_inactive',
  'endpoint_deleted',
  'endpoint_inactive',
  'number_removed',
  'payload_unreadable',
  'given_up',
] as const
export type DeathReason = (typeof DEATH_REASONS)[number]

/** Why an attempt failed; `internal` if our own code failed. */
export const ATTEMPT_ERRORS = [...EXCHANGE_FAILURE_KINDS, 'internal'] as const
export type AttemptError = (typeof ATTEMPT_ERRORS)[number]

/** One POST as the history shows it. */
export interface Attempt {
  attempt: number
  atMs: number
  delivered: boolean
  code: number | null
  latencyMs: number
  /** `null` for a 2xx. */
  error: AttemptError | null
  excerpt: string
  /** The URL without its query, which may contain a secret; missing in older attempts. */
  url?: string
  /** The response headers that may be shown. */
  headers?: Readonly<Record<string, string>>
  /** It failed because the endpoint was down: it does not count as one of the delivery's attempts. */
  probe?: true
  /** What became of the endpoint's answer, if it is one that may answer and did. */
  reply?: Reply
}

/** What an endpoint answered a message with: sent to the chat, sent already, or refused, and why. */
export interface Reply {
  status: (typeof REPLY_STATUSES)[number]
  messageId: string | null
  /** A code of the API's errors, or one of `REPLY_REFUSALS`. */
  code: string | null
  /** The field at fault. */
  param: string | null
}

export const REPLY_STATUSES = ['accepted', 'repeated', 'refused'] as const

/** Why an answer is refused that no request could be refused for: it did not arrive whole, or would answer ourselves. */
export const REPLY_REFUSALS = ['answer_incomplete', 'own_number'] as const

/** An entry of the delivery history. */
export interface DeliveryEntry {
  id: string
  accountId: string
  eventId: string
  /** The webhook, or the endpoint. */
  webhookId: string
  sessionId: string
  kind: AnyKind
  eventType: HistoryType
  category: Category
  dedupeId: string
  status: DeliveryStatus
  reason: DeathReason | null
  origin: Origin
  attempts: Attempt[]
  nextAttemptAt: number | null
  redeliveredAt: number | null
  /** For a dead letter whose event was sent again and failed again: the dead letter that replaced it. */
  replacedBy: string | null
  /** The delivery that sent a dead letter again, and the dead letter that this delivery sends again. */
  replayedAs: string | null
  replayOf: string | null
  createdAt: number
  updatedAt: number
  /** The redacted payload, as JSON text. */
  redacted: string
}

/** A delivery that is due, with what its attempt needs. */
export interface DueDelivery {
  id: string
  eventId: string
  accountId: string
  lane: string
  origin: Origin
  /** The event type of the history; `null` is never recorded. */
  eventType: HistoryType | null
  /** The number of attempts so far, and their results as JSON text. */
  attempt: number
  attempts: string
  dueAt: number
  dedupeId: string
  bytes: number
  /** The payload; `null` if it is stored with the event, and read for the attempt. */
  sealed: Uint8Array | null
  /** More fields of the payload, for an endpoint that includes them. */
  extras: Uint8Array | null
  /** When a customer gave it up: it is not sent any more. */
  givenUpAt: number | null
}

/** The number of shards that webhooks are spread over; a dispatcher owns whole shards. */
export const SHARDS = 64

export function shardOf(webhookId: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < webhookId.length; i++) hash = Math.imul(hash ^ webhookId.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % SHARDS
}

/** The queue of one category of one webhook, or of one number of one endpoint. */
export const laneOf = (webhookId: string, of: { category: Category; sessionId: string }): string =>
  isEndpointId(webhookId) ? `${webhookId}:${of.sessionId}` : `${webhookId}:${of.category}`

/** `category` is `null` for the lane of an endpoint, which has every category of a number. */
export function parseLane(lane: string): { webhookId: string; category: Category | null; number: string } {
  const colon = lane.indexOf(':')
  const webhookId = lane.slice(0, colon)
  if (isEndpointId(webhookId)) return { webhookId, category: null, number: lane.slice(colon + 1) }
  const category = CATEGORIES.find(name => name === lane.slice(colon + 1))
  if (category === undefined) throw new Error('a lane without a category')
  return { webhookId, category, number: '' }
}

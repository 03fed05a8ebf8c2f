import { type DueDelivery, laneOf, type Origin, shardOf } from '../../domain/delivery.ts'
import type { Category, EventKind, HistoryType } from '../../domain/event.ts'
import { makeId } from '../../domain/ids.ts'
import type { Tx } from '../transaction.ts'
import { type DeliveryRow, insertRows } from './insert-rows.ts'
import { storeListenedEvents } from '../listeners/listened-events.ts'
import { keepWatched } from '../simulator/sandbox-payloads.ts'

export interface NewEvent {
  id: string
  accountId: string
  sessionId: string
  kind: EventKind
  category: Category
  /** Its name in the history; `null` is never recorded. */
  historyType: HistoryType | null
  dedupeId: string
  sealedPayload: Uint8Array
  /** The redacted payload for the history, as JSON. */
  redacted: string
  /** The length of the payload before sealing. */
  bytes: number
}

/** The id of the event's delivery, or `null` without a receiver. */
export type Published = string | null

/**
 * Payloads up to this size are stored with their delivery: written once, and read together with it. A larger one is
 * read for each attempt, and not written again with each result.
 */
export const CARRIED_BYTES = 4_096

/**
 * Stores events as deliveries to the URLs of their category, in the caller's transaction. An event without an active
 * webhook URL, in an account without listeners, is not stored and has `null` as its result.
 */
export async function insertEvents(tx: Tx, events: NewEvent[]): Promise<Published[]> {
  if (events.length === 0) return []
  const receiversOf = await readReceivers(tx, events)
  const large: NewEvent[] = []
  const watched: NewEvent[] = []
  const listened: NewEvent[] = []
  const deliveries: NewDelivery[] = []
  const published = events.map(event => {
    const { webhook, isListened } = receiversOf(event)
    if (isListened) listened.push(event)
    if (webhook === undefined) return null
    const id = makeId('dlv', tx.nowMs)
    const isCarried = event.bytes <= CARRIED_BYTES
    if (!isCarried) large.push(event)
    if (webhook.watched_until > tx.nowMs) watched.push(event)
    const sealed = isCarried ? event.sealedPayload : null
    deliveries.push({ ...event, id, eventId: event.id, webhookId: webhook.id, origin: 'event', sealed })
    return id
  })
  await tx.insert(
    'events',
    large.map(event => eventRow(tx, event)),
  )
  await keepWatched(tx, watched)
  await insertDeliveries(tx, deliveries)
  if (listened.length > 0) await storeListenedEvents(tx, listened)
  return published
}

/** A new delivery of an event. */
export interface NewDelivery {
  id: string
  eventId: string
  accountId: string
  sessionId: string
  webhookId: string
  kind: EventKind
  category: Category
  historyType: HistoryType | null
  dedupeId: string
  origin: Origin
  redacted: string
  bytes: number
  /** `null` if the payload is stored with the event. */
  sealed: Uint8Array | null
}

/** Adds deliveries to the queue. */
export async function insertDeliveries(tx: Tx, deliveries: NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return
  const lanes = new Map<string, DueDelivery[]>()
  const rows = deliveries.map(delivery => {
    const lane = laneOf(delivery.webhookId, delivery.category)
    const others = lanes.get(lane)
    const due = dueDelivery(tx, delivery, lane)
    if (others === undefined) lanes.set(lane, [due])
    else others.push(due)
    return deliveryRow(delivery, lane)
  })
  await insertRows(tx, rows)
  for (const [lane, fresh] of lanes) tx.notify({ about: 'deliveries', lane, dueAt: tx.nowMs, fresh })
}

const dueDelivery = (tx: Tx, delivery: NewDelivery, lane: string): DueDelivery => ({
  id: delivery.id,
  eventId: delivery.eventId,
  accountId: delivery.accountId,
  lane,
  origin: delivery.origin,
  eventType: delivery.historyType,
  attempt: 0,
  attempts: '[]',
  dueAt: tx.nowMs,
  dedupeId: delivery.dedupeId,
  bytes: delivery.bytes,
  sealed: delivery.sealed,
  givenUpAt: null,
})

const deliveryRow = (delivery: NewDelivery, lane: string): DeliveryRow => ({
  id: delivery.id,
  event_id: delivery.eventId,
  account_id: delivery.accountId,
  shard: shardOf(delivery.webhookId),
  lane,
  origin: delivery.origin,
  webhook_id: delivery.webhookId,
  session_id: delivery.sessionId,
  kind: delivery.kind,
  event_type: delivery.historyType,
  category: delivery.category,
  dedupe_id: delivery.dedupeId,
  bytes: delivery.bytes,
  redacted: delivery.redacted,
  sealed: delivery.sealed,
})

interface WebhookUrls {
  /** `null`: the number has no active webhook. */
  id: string | null
  account_id: string
  session_id: string
  messages: string
  status: string
  connection: string
  events: string
  watched_until: number
  listened_until: number
}

interface Receivers {
  webhook: (WebhookUrls & { id: string }) | undefined
  isListened: boolean
}

/** The webhook with a URL for an event, and whether the account has listeners. */
async function readReceivers(tx: Tx, events: NewEvent[]): Promise<(event: NewEvent) => Receivers> {
  const pairs = new Map(
    events.map(({ accountId, sessionId }) => [keyOf(accountId, sessionId), { accountId, sessionId }]),
  )
  const r = tx.values(
    { account_id: 'text', session_id: 'text' },
    [...pairs.values()].map(pair => ({ account_id: pair.accountId, session_id: pair.sessionId })),
  )
  const rows = await tx.all<WebhookUrls>(
    `select w.id, r.account_id, r.session_id, w.messages_url as messages, w.status_url as status,
       w.connection_url as connection, w.events_url as events, w.watched_until,
       coalesce(s.listened_until, 0) as listened_until
     from ${r.sql} r
     left join webhooks w on w.account_id = r.account_id and w.session_id = r.session_id and w.active = 1
     left join streams s on s.account_id = r.account_id`,
    ...r.params,
  )
  const found = new Map(rows.map(row => [keyOf(row.account_id, row.session_id), row]))
  return event => {
    const row = found.get(keyOf(event.accountId, event.sessionId))!
    const { id } = row
    const webhook = id !== null && row[event.category] !== '' ? { ...row, id } : undefined
    return { webhook, isListened: row.listened_until > tx.nowMs }
  }
}

const keyOf = (accountId: string, sessionId: string): string => `${accountId} ${sessionId}`

const eventRow = (tx: Tx, event: NewEvent) => ({
  id: event.id,
  account_id: event.accountId,
  session_id: event.sessionId,
  kind: event.kind,
  category: event.category,
  history_type: event.historyType,
  dedupe_id: event.dedupeId,
  bytes: event.bytes,
  pending: 1,
  created_at: tx.nowMs,
  sealed: event.sealedPayload,
})

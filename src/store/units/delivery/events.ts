import { BOUNDS } from '../../../domain/bounds.ts'
import { laneOf, type Origin, shardOf } from '../../../domain/delivery.ts'
import type { Category, EventKind, HistoryType } from '../../../domain/event.ts'
import { makeId } from '../../../domain/ids.ts'
import type { Tx } from '../../tx.ts'
import { keepWatched } from '../sandbox/sandbox-payloads.ts'

export interface NewEvent {
  id: string
  accountId: string
  sessionId: string
  kind: EventKind
  category: Category
  /** How history names it; `null` is never recorded. */
  historyType: HistoryType | null
  dedupeId: string
  sealedPayload: Uint8Array
  /** The payload as history keeps it, JSON text. */
  redacted: string
  /** Length of the payload before it was sealed. */
  bytes: number
}

/** The id of the event's delivery, or `null` where nobody wants it. */
export type Published = string | null

/**
 * The event, its payload and a delivery for the URL that wants it, inside the caller's unit: one commit. An event that
 * no active webhook has a URL for leaves no trace but its `null` in the answer.
 */
export async function insertEvents(tx: Tx, events: NewEvent[]): Promise<Published[]> {
  if (events.length === 0) return []
  const webhookOf = await readWebhooks(tx, events)
  const stored: NewEvent[] = []
  const watched: string[] = []
  const deliveries: NewDelivery[] = []
  const published = events.map(event => {
    const webhook = webhookOf(event)
    if (webhook === undefined) return null
    const id = makeId('dlv', tx.nowMs)
    stored.push(event)
    if (webhook.watched_until > tx.nowMs) watched.push(event.id)
    deliveries.push({ ...event, id, eventId: event.id, webhookId: webhook.id, origin: 'event' })
    return id
  })
  await tx.insert(
    'events',
    stored.map(event => eventRow(tx, event)),
  )
  await keepWatched(tx, watched)
  await insertDeliveries(tx, deliveries)
  return published
}

/** A delivery to be made of an event that is stored. */
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
}

/** Puts deliveries into the queue and, unless they are never recorded, into the account's history. */
export async function insertDeliveries(tx: Tx, deliveries: NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return
  const slots = await enterHistory(tx, deliveries)
  const lanes = new Set<string>()
  const rows = deliveries.map((delivery, i) => {
    const lane = laneOf(delivery.webhookId, delivery.category)
    lanes.add(lane)
    return {
      id: delivery.id,
      event_id: delivery.eventId,
      account_id: delivery.accountId,
      shard: shardOf(delivery.webhookId),
      lane,
      slot: slots[i]!,
      origin: delivery.origin,
      attempt: 0,
      attempts: '[]',
      due_at: tx.nowMs,
      created_at: tx.nowMs,
    }
  })
  await tx.insert('deliveries', rows)
  for (const lane of lanes) tx.notify({ about: 'deliveries', lane, dueAt: tx.nowMs })
}

interface WebhookUrls {
  id: string
  account_id: string
  session_id: string
  messages: string
  status: string
  connection: string
  events: string
  watched_until: number
}

async function readWebhooks(tx: Tx, events: NewEvent[]): Promise<(event: NewEvent) => WebhookUrls | undefined> {
  const pairs = new Map(
    events.map(({ accountId, sessionId }) => [keyOf(accountId, sessionId), { accountId, sessionId }]),
  )
  const r = tx.values(
    { account_id: 'text', session_id: 'text' },
    [...pairs.values()].map(pair => ({ account_id: pair.accountId, session_id: pair.sessionId })),
  )
  const rows = await tx.all<WebhookUrls>(
    `select w.id, w.account_id, w.session_id, w.messages_url as messages, w.status_url as status,
       w.connection_url as connection, w.events_url as events, w.watched_until
     from ${r.sql} r join webhooks w on w.account_id = r.account_id and w.session_id = r.session_id
     where w.active = 1`,
    ...r.params,
  )
  const found = new Map(rows.map(row => [keyOf(row.account_id, row.session_id), row]))
  return event => {
    const webhook = found.get(keyOf(event.accountId, event.sessionId))
    return webhook !== undefined && webhook[event.category] !== '' ? webhook : undefined
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

/** History is a ring of each account's latest entries. */
const HISTORY_SLOTS = BOUNDS.historyEntries
export const NO_SLOT = -1

/** Gives each recorded delivery the next slot of its account's ring, over whatever stood there. */
async function enterHistory(tx: Tx, deliveries: NewDelivery[]): Promise<number[]> {
  const counts = new Map<string, number>()
  for (const { accountId, historyType } of deliveries) {
    if (historyType !== null) counts.set(accountId, (counts.get(accountId) ?? 0) + 1)
  }
  // Sorted, so that two batches never wait for each other's heads in a circle.
  const heads = await tx.insert<{ account_id: string; seq: number }>(
    'history_heads',
    [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([account_id, seq]) => ({ account_id, seq })),
    'on conflict (account_id) do update set seq = history_heads.seq + excluded.seq returning account_id, seq',
  )
  const last = new Map(heads.map(head => [head.account_id, head.seq]))
  const next = new Map(heads.map(head => [head.account_id, head.seq - counts.get(head.account_id)!]))
  const rows: Array<ReturnType<typeof historyRow>> = []
  const slots = deliveries.map(delivery => {
    if (delivery.historyType === null) return NO_SLOT
    const seq = next.get(delivery.accountId)! + 1
    next.set(delivery.accountId, seq)
    // In a batch of more than the ring holds, the first ones are gone before they are written.
    if (seq <= last.get(delivery.accountId)! - HISTORY_SLOTS) return NO_SLOT
    rows.push(historyRow(tx, delivery, seq % HISTORY_SLOTS, delivery.historyType))
    return seq % HISTORY_SLOTS
  })
  await tx.insert('history', rows, OVERWRITE)
  return slots
}

const historyRow = (tx: Tx, delivery: NewDelivery, slot: number, eventType: HistoryType) => ({
  account_id: delivery.accountId,
  slot,
  id: delivery.id,
  event_id: delivery.eventId,
  webhook_id: delivery.webhookId,
  session_id: delivery.sessionId,
  kind: delivery.kind,
  event_type: eventType,
  category: delivery.category,
  dedupe_id: delivery.dedupeId,
  origin: delivery.origin,
  status: 'pending',
  attempts: '[]',
  created_at: tx.nowMs,
  updated_at: tx.nowMs,
  redacted: delivery.redacted,
})

const OVERWRITE = `on conflict (account_id, slot) do update set id = excluded.id, event_id = excluded.event_id,
  webhook_id = excluded.webhook_id, session_id = excluded.session_id, kind = excluded.kind,
  event_type = excluded.event_type, category = excluded.category, dedupe_id = excluded.dedupe_id,
  origin = excluded.origin, status = excluded.status, attempts = excluded.attempts, created_at = excluded.created_at,
  updated_at = excluded.updated_at, redacted = excluded.redacted`

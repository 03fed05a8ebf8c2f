import { type DueDelivery, laneOf, type Origin, shardOf } from '../../domain/delivery.ts'
import { wants } from '../../domain/endpoint.ts'
import { type AnyKind, type Category, type HistoryType, isExtraKind } from '../../domain/event.ts'
import { makeId } from '../../domain/ids.ts'
import { type IncludeWord, joinRedacted } from '../../domain/include.ts'
import type { Tx } from '../transaction.ts'
import { type DeliveryRow, insertRows } from './insert-rows.ts'
import { type FanOutEndpoint, readFanOut } from '../endpoints/fan-out.ts'
import { type Addition, addToStreams } from '../listeners/streams.ts'
import { keepWatched } from '../simulator/sandbox-payloads.ts'

export interface NewEvent {
  id: string
  accountId: string
  sessionId: string
  kind: AnyKind
  category: Category
  /** Its name in the history; `null` is never recorded. */
  historyType: HistoryType | null
  dedupeId: string
  sealedPayload: Uint8Array
  /** The redacted payload for the history, as JSON. */
  redacted: string
  /** The length of the payload before sealing. */
  bytes: number
  /** Only endpoints that include this word get it. */
  requires?: IncludeWord | null
  /** Endpoints that include this word get it too, whatever their kinds. */
  alsoFor?: IncludeWord | null
  extras?: StoredExtras | null
}

/** Fields of an event that only endpoints with these words get. */
export interface StoredExtras {
  words: IncludeWord[]
  sealed: Uint8Array
  bytes: number
  /** The redacted fields of each word, as JSON objects. */
  redacted: Partial<Record<IncludeWord, string>>
}

/** The id of the event's delivery to its webhook, or else to an endpoint with a URL; `null` if there is none. */
export type Published = string | null

/**
 * Payloads up to this size are stored with their delivery: written once, and read together with it. A larger one is
 * read for each attempt, and not written again with each result.
 */
const CARRIED_BYTES = 4_096

/**
 * Stores events as deliveries to the URL of their category and to the endpoints that want them, and in the streams of
 * listeners and pull endpoints, in the caller's transaction. An event that is not delivered has `null` as its result.
 */
export async function insertEvents(tx: Tx, events: NewEvent[]): Promise<Published[]> {
  if (events.length === 0) return []
  const receiversOf = await readReceivers(tx, events)
  const large: LargeEvent[] = []
  const watched: NewEvent[] = []
  const streams = new Map<string, Addition>()
  const deliveries: NewDelivery[] = []
  const published = events.map(event => {
    const { webhook, endpoints, pulls, isListened } = receiversOf(event)
    if (isListened) addTo(streams, { id: event.accountId, keepMs: null }, event, null)
    for (const endpoint of pulls) addTo(streams, endpoint, event, includesAny(endpoint, event) ? event.extras! : null)
    const pending = endpoints.length + (webhook === undefined ? 0 : 1)
    if (pending === 0) return null
    const extras = endpoints.some(endpoint => includesAny(endpoint, event)) ? event.extras! : null
    const isCarried = event.bytes + (extras?.bytes ?? 0) <= CARRIED_BYTES
    if (!isCarried) large.push({ event, extras, pending })
    const first = deliveries.length
    if (webhook !== undefined) {
      if (webhook.watched_until > tx.nowMs) watched.push(event)
      deliveries.push(deliveryOf(tx, event, webhook.id, isCarried))
    }
    for (const endpoint of endpoints) {
      const delivery = deliveryOf(tx, event, endpoint.id, isCarried)
      deliveries.push(
        includesAny(endpoint, event) ? { ...delivery, ...withExtras(event, endpoint, isCarried) } : delivery,
      )
    }
    return deliveries[first]!.id
  })
  await tx.insert(
    'events',
    large.map(each => eventRow(tx, each)),
  )
  await keepWatched(tx, watched)
  await insertDeliveries(tx, deliveries)
  if (streams.size > 0) await addToStreams(tx, streams)
  return published
}

function addTo(
  streams: Map<string, Addition>,
  { id, keepMs }: Pick<FanOutEndpoint, 'id' | 'keepMs'>,
  event: NewEvent,
  extras: StoredExtras | null,
): void {
  const added = { ...event, sealedExtras: extras?.sealed ?? null, bytes: event.bytes + (extras?.bytes ?? 0) }
  const addition = streams.get(id)
  if (addition === undefined) streams.set(id, { events: [added], keepMs })
  else addition.events.push(added)
}

const includesAny = (endpoint: FanOutEndpoint, { extras }: NewEvent): boolean =>
  extras?.words.some(word => endpoint.include.includes(word)) ?? false

const deliveryOf = (tx: Tx, event: NewEvent, webhookId: string, isCarried: boolean): NewDelivery => ({
  id: makeId('dlv', tx.nowMs),
  eventId: event.id,
  accountId: event.accountId,
  sessionId: event.sessionId,
  webhookId,
  kind: event.kind,
  category: event.category,
  historyType: event.historyType,
  dedupeId: event.dedupeId,
  origin: 'event',
  redacted: event.redacted,
  bytes: event.bytes,
  sealed: isCarried ? event.sealedPayload : null,
  extras: null,
})

/** What differs in the delivery to an endpoint that gets some of the extra fields. */
function withExtras({ bytes, extras, redacted }: NewEvent, { include }: FanOutEndpoint, isCarried: boolean) {
  const words = extras!.words.filter(word => include.includes(word))
  return {
    bytes: bytes + extras!.bytes,
    extras: isCarried ? extras!.sealed : null,
    redacted: words.reduce((text, word) => joinRedacted(text, word, extras!.redacted[word]!), redacted),
  }
}

/** A new delivery of an event. */
export interface NewDelivery {
  id: string
  eventId: string
  accountId: string
  sessionId: string
  webhookId: string
  kind: AnyKind
  category: Category
  historyType: HistoryType | null
  dedupeId: string
  origin: Origin
  redacted: string
  bytes: number
  /** `null` if the payload is stored with the event. */
  sealed: Uint8Array | null
  extras: Uint8Array | null
}

/** Adds deliveries to the queue. */
export async function insertDeliveries(tx: Tx, deliveries: NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return
  const lanes = new Map<string, DueDelivery[]>()
  const rows = deliveries.map(delivery => {
    const lane = laneOf(delivery.webhookId, delivery)
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
  extras: delivery.extras,
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
  extras: delivery.extras,
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
  /** 1 if the account has active endpoints. */
  has_endpoints: number
}

interface Receivers {
  webhook: (WebhookUrls & { id: string }) | undefined
  /** Those with a URL. */
  endpoints: FanOutEndpoint[]
  pulls: FanOutEndpoint[]
  isListened: boolean
}

/** The webhook with a URL for an event, the endpoints that want it, and whether the account has listeners. */
async function readReceivers(tx: Tx, events: NewEvent[]): Promise<(event: NewEvent) => Receivers> {
  const pairs = new Map(
    events.map(({ accountId, sessionId }) => [keyOf(accountId, sessionId), { accountId, sessionId }]),
  )
  const r = tx.keys(
    { account_id: 'text', session_id: 'text' },
    [...pairs.values()].map(pair => ({ account_id: pair.accountId, session_id: pair.sessionId })),
  )
  const rows = await tx.all<WebhookUrls>(
    `select w.id, r.account_id, r.session_id, w.messages_url as messages, w.status_url as status,
       w.connection_url as connection, w.events_url as events, w.watched_until,
       coalesce(s.listened_until, 0) as listened_until,
       case when exists (select 1 from endpoints e where e.account_id = r.account_id and e.active = 1)
         then 1 else 0 end as has_endpoints
     from ${r.sql} r
     left join webhooks w on w.account_id = r.account_id and w.session_id = r.session_id and w.active = 1
     left join streams s on s.id = r.account_id`,
    ...r.params,
  )
  const found = new Map(rows.map(row => [keyOf(row.account_id, row.session_id), row]))
  const endpoints = await readFanOut(tx, [
    ...new Set(rows.filter(row => row.has_endpoints === 1).map(row => row.account_id)),
  ])
  return event => {
    const row = found.get(keyOf(event.accountId, event.sessionId))!
    const wanting = endpoints.get(event.accountId)?.filter(endpoint => wants(endpoint, event)) ?? []
    const receivers = {
      endpoints: wanting.filter(({ keepMs }) => keepMs === null),
      pulls: wanting.filter(({ keepMs }) => keepMs !== null),
    }
    if (isExtraKind(event.kind) || (event.requires ?? null) !== null)
      return { webhook: undefined, ...receivers, isListened: false }
    const { id } = row
    const webhook = id !== null && row[event.category] !== '' ? { ...row, id } : undefined
    return { webhook, ...receivers, isListened: row.listened_until > tx.nowMs }
  }
}

const keyOf = (accountId: string, sessionId: string): string => `${accountId} ${sessionId}`

/** An event whose payload is stored once, for all of its deliveries. */
interface LargeEvent {
  event: NewEvent
  extras: StoredExtras | null
  pending: number
}

const eventRow = (tx: Tx, { event, extras, pending }: LargeEvent) => ({
  id: event.id,
  account_id: event.accountId,
  session_id: event.sessionId,
  kind: event.kind,
  category: event.category,
  history_type: event.historyType,
  dedupe_id: event.dedupeId,
  bytes: event.bytes,
  pending,
  created_at: tx.nowMs,
  sealed: event.sealedPayload,
  extras: extras?.sealed ?? null,
})

import { isEndpointId } from '../../domain/endpoint.ts'
import type { AnyKind, Category, HistoryType } from '../../domain/event.ts'
import { makeId } from '../../domain/ids.ts'
import type { Tx } from '../transaction.ts'
import { insertDeliveries, type NewDelivery } from '../events/events.ts'

/** A past delivery, from the queue, the history or the dead letters. */
export interface PastDelivery {
  id: string
  event_id: string
  account_id: string
  session_id: string
  webhook_id: string
  kind: AnyKind
  category: Category
  event_type: HistoryType | null
  dedupe_id: string
  redacted: string
}

export const PAST_DELIVERY = `h.id, h.event_id, h.account_id, h.session_id, h.webhook_id, h.kind, h.category,
  h.event_type, h.dedupe_id, h.redacted`

/**
 * Queues deliveries whose payload is still stored again, and returns the new ids. An event with more than
 * `maxUnderWay` deliveries under way to the same receiver is skipped, also with concurrent requests.
 */
export async function queueAgain(
  tx: Tx,
  entries: PastDelivery[],
  origin: 'resend' | 'replay',
  maxUnderWay = 0,
): Promise<string[]> {
  if (entries.length === 0) return []
  const r = tx.ids([...new Set(entries.map(entry => entry.event_id))].sort())
  const kept = await tx.all<{ id: string; bytes: number }>(
    `select id, bytes from events where id in (select r.id from ${r.sql} r) order by id${tx.forUpdate}`,
    ...r.params,
  )
  const underWay = await tx.all<{ event_id: string; webhook_id: string; n: number }>(
    `select d.event_id, d.webhook_id, count(*) as n from ${r.sql} r
     join deliveries d on d.event_id = r.id and d.sealed is null group by d.event_id, d.webhook_id`,
    ...r.params,
  )
  const sizes = new Map(kept.map(row => [row.id, row.bytes]))
  // Once for each event and receiver, even if several of its deliveries are requested.
  const taken = new Set(underWay.filter(row => row.n > maxUnderWay).map(receiverOf))
  const deliveries = entries
    .filter(entry => sizes.has(entry.event_id) && !taken.has(receiverOf(entry)) && taken.add(receiverOf(entry)))
    .map(entry => toDelivery(tx, entry, origin, sizes.get(entry.event_id)!))
  await addPending(tx, deliveries)
  await insertDeliveries(tx, deliveries)
  await nameReplays(tx, deliveries)
  return deliveries.map(delivery => delivery.id)
}

const receiverOf = (entry: { event_id: string; webhook_id: string }): string => `${entry.event_id} ${entry.webhook_id}`

async function addPending(tx: Tx, deliveries: NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return
  const counts = new Map<string, number>()
  for (const { eventId } of deliveries) counts.set(eventId, (counts.get(eventId) ?? 0) + 1)
  const r = tx.values(
    { id: 'text', n: 'bigint' },
    [...counts].map(([id, n]) => ({ id, n })),
  )
  await tx.run(`update events set pending = pending + r.n from ${r.sql} r where events.id = r.id`, ...r.params)
}

/** A dead letter names the last delivery that resent its event. */
async function nameReplays(tx: Tx, deliveries: NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return
  const r = tx.values(
    { event_id: 'text', webhook_id: 'text', id: 'text' },
    deliveries.map(({ eventId, webhookId, id }) => ({ event_id: eventId, webhook_id: webhookId, id })),
  )
  await tx.run(
    `update dead_letters set replayed_as = r.id, updated_at = ? from ${r.sql} r
     where dead_letters.event_id = r.event_id and dead_letters.webhook_id = r.webhook_id`,
    tx.nowMs,
    ...r.params,
  )
}

const toDelivery = (tx: Tx, entry: PastDelivery, origin: 'resend' | 'replay', bytes: number): NewDelivery => ({
  id: makeId('dlv', tx.nowMs),
  eventId: entry.event_id,
  accountId: entry.account_id,
  sessionId: entry.session_id,
  webhookId: entry.webhook_id,
  kind: entry.kind,
  category: entry.category,
  historyType: entry.event_type,
  dedupeId: entry.dedupe_id,
  origin,
  redacted: entry.redacted,
  bytes,
  sealed: null,
  extras: null,
})

export type Urls = Record<Category, string> & { active: number }

/** The URLs of a webhook; an endpoint has the same one for every category. */
export async function readUrls(tx: Tx, webhookId: string): Promise<Urls | undefined> {
  if (isEndpointId(webhookId))
    return await tx.get<Urls>(
      'select url as messages, url as status, url as connection, url as events, active from endpoints where id = ?',
      webhookId,
    )
  return await tx.get<Urls>(
    `select messages_url as messages, status_url as status, connection_url as connection, events_url as events, active
     from webhooks where id = ?`,
    webhookId,
  )
}

import type { Category, EventKind, HistoryType } from '../../domain/event.ts'
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
  kind: EventKind
  category: Category
  event_type: HistoryType | null
  dedupe_id: string
  redacted: string
}

export const PAST_DELIVERY = `h.id, h.event_id, h.account_id, h.session_id, h.webhook_id, h.kind, h.category,
  h.event_type, h.dedupe_id, h.redacted`

/**
 * Queues deliveries whose payload is still stored again, and returns the new ids. An event with more than
 * `maxUnderWay` deliveries under way is skipped, also with concurrent requests.
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
    `update events set pending = pending + 1 from ${r.sql} r where events.id = r.id and events.pending <= ?
     returning events.id, events.bytes`,
    ...r.params,
    maxUnderWay,
  )
  // Once for each event, even if several of its deliveries are requested.
  const sizes = new Map(kept.map(row => [row.id, row.bytes]))
  const open = new Set(sizes.keys())
  const deliveries = entries
    .filter(entry => open.delete(entry.event_id))
    .map(entry => toDelivery(tx, entry, origin, sizes.get(entry.event_id)!))
  await insertDeliveries(tx, deliveries)
  await nameReplays(tx, deliveries)
  return deliveries.map(delivery => delivery.id)
}

/** A dead letter names the last delivery that resent its event. */
async function nameReplays(tx: Tx, deliveries: NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return
  const r = tx.values(
    { event_id: 'text', id: 'text' },
    deliveries.map(({ eventId, id }) => ({ event_id: eventId, id })),
  )
  await tx.run(
    `update dead_letters set replayed_as = r.id, updated_at = ? from ${r.sql} r where dead_letters.event_id = r.event_id`,
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
})

export type Urls = Record<Category, string> & { active: number }

export async function readUrls(tx: Tx, webhookId: string): Promise<Urls | undefined> {
  return await tx.get<Urls>(
    `select messages_url as messages, status_url as status, connection_url as connection, events_url as events, active
     from webhooks where id = ?`,
    webhookId,
  )
}

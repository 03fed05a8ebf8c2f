import type { Tx, Value } from '../transaction.ts'

/**
 * Stores the payloads of deliveries with their events, so that they outlive the deliveries. `pending` counts the queued
 * deliveries of each event that need the stored payload.
 */
export async function storePayloads(tx: Tx, where: string, params: Value[], pending: 0 | 1): Promise<void> {
  await tx.run(
    `insert into events (id, account_id, session_id, kind, category, history_type, dedupe_id, bytes, pending, created_at,
       sealed)
     select d.event_id, d.account_id, d.session_id, d.kind, d.category, d.event_type, d.dedupe_id, d.bytes, ${pending},
       d.created_at, d.sealed
     from deliveries d where d.sealed is not null and ${where} on conflict (id) do nothing`,
    ...params,
  )
}

/** Stores the payload of a waiting delivery with its event, so that another delivery of the event can use it too. */
export async function movePayloadToEvent(tx: Tx, deliveryId: string): Promise<void> {
  await tx.get(`select id from deliveries where id = ?${tx.forUpdate}`, deliveryId)
  await storePayloads(tx, 'd.id = ?', [deliveryId], 1)
  await tx.run('update deliveries set sealed = null where id = ?', deliveryId)
}

import type { Tx, Value } from '../transaction.ts'

/**
 * Stores the payloads of deliveries with their events, so that they outlive the deliveries. Another delivery of the same
 * event may have stored the payload before, perhaps without the extra fields.
 */
export async function storePayloads(tx: Tx, where: string, params: Value[]): Promise<void> {
  await tx.run(
    `insert into events (id, account_id, session_id, kind, category, history_type, dedupe_id, bytes, pending, created_at,
       sealed, extras)
     select d.event_id, d.account_id, d.session_id, d.kind, d.category, d.event_type, d.dedupe_id, d.bytes, 0,
       d.created_at, d.sealed, d.extras
     from deliveries d where d.sealed is not null and ${where} on conflict (id) do nothing`,
    ...params,
  )
  await tx.run(
    `update events set extras = d.extras from deliveries d
     where d.event_id = events.id and events.extras is null and d.extras is not null and ${where}`,
    ...params,
  )
}

/** Stores the payload of a waiting delivery with its event, so that another delivery of the event can use it too. */
export async function movePayloadToEvent(tx: Tx, deliveryId: string): Promise<void> {
  const carried = await tx.get<{ event_id: string }>(
    `select event_id from deliveries where id = ? and sealed is not null${tx.forUpdate}`,
    deliveryId,
  )
  if (carried === undefined) return
  await storePayloads(tx, 'd.id = ?', [deliveryId])
  await tx.run('update events set pending = pending + 1 where id = ?', carried.event_id)
  await tx.run('update deliveries set sealed = null, extras = null where id = ?', deliveryId)
}

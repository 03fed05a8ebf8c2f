import { KEPT_MS } from '../../domain/retention.ts'
import type { Reader, Tx } from '../transaction.ts'

/** Keeps full payloads of a sandbox number's events for some time. Returns until when. */
export async function watchSandbox(tx: Tx, input: { sessionId: string; forMs: number }): Promise<number> {
  const until = tx.nowMs + input.forMs
  await tx.run(
    `update webhooks set watched_until = ? where session_id = ? and active = 1
       and exists (select 1 from sessions s where s.id = webhooks.session_id and s.platform = 'sandbox')`,
    until,
    input.sessionId,
  )
  return until
}

/** Copies the payloads of watched sandbox numbers; never those of other numbers. */
export async function keepWatched(
  tx: Tx,
  events: Array<{ id: string; sessionId: string; sealedPayload: Uint8Array }>,
): Promise<void> {
  if (events.length === 0) return
  const r = tx.ids([...new Set(events.map(event => event.sessionId))])
  const rows = await tx.all<{ id: string }>(
    `select s.id from sessions s where s.platform = 'sandbox' and s.id in (select r.id from ${r.sql} r)`,
    ...r.params,
  )
  const ofSandbox = new Set(rows.map(row => row.id))
  await tx.insert(
    'sandbox_payloads',
    events
      .filter(event => ofSandbox.has(event.sessionId))
      .map(({ id, sessionId, sealedPayload }) => ({
        event_id: id,
        session_id: sessionId,
        sealed: sealedPayload,
        expires_at: tx.nowMs + KEPT_MS.sandboxPayloads,
      })),
  )
}

/**
 * The sealed payload of a sandbox number's event: the copy, the one in a delivery, or the event's while it is stored.
 */
export async function readSandboxPayload(
  reader: Reader,
  { eventId, deliveryId }: { eventId: string; deliveryId: string },
): Promise<Uint8Array | undefined> {
  const row = await reader.get<{ sealed: Uint8Array }>(
    `select p.sealed from (
       select session_id, sealed from sandbox_payloads where event_id = ? and expires_at > ?
       union all select session_id, sealed from deliveries where id = ? and event_id = ? and sealed is not null
       union all select session_id, sealed from events where id = ?) p
     join sessions s on s.id = p.session_id and s.platform = 'sandbox' limit 1`,
    eventId,
    await reader.now(),
    deliveryId,
    eventId,
    eventId,
  )
  return row?.sealed
}

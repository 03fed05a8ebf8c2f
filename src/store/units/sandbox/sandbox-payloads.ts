import { KEPT_MS } from '../../../domain/retention.ts'
import type { Reader, Tx } from '../../tx.ts'

/** From now on, and for this long, what is posted for a sandbox number is kept in full. Answers until when. */
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

/** Copies the payloads of watched events. Whatever is watched, only a sandbox number's are ever copied. */
export async function keepWatched(tx: Tx, eventIds: string[]): Promise<void> {
  if (eventIds.length === 0) return
  const r = tx.ids(eventIds)
  await tx.run(
    `insert into sandbox_payloads (event_id, session_id, sealed, expires_at)
     select e.id, e.session_id, e.sealed, cast(? as bigint) from events e
     join sessions s on s.id = e.session_id and s.platform = 'sandbox'
     where e.id in (select r.id from ${r.sql} r)`,
    tx.nowMs + KEPT_MS.sandboxPayloads,
    ...r.params,
  )
}

/** The sealed payload of a sandbox number's event: the copy, or the event itself while it is kept. */
export async function readSandboxPayload(reader: Reader, eventId: string): Promise<Uint8Array | undefined> {
  const row = await reader.get<{ sealed: Uint8Array }>(
    `select p.sealed from (
       select event_id, session_id, sealed from sandbox_payloads where event_id = ? and expires_at > ?
       union all select id, session_id, sealed from events where id = ?) p
     join sessions s on s.id = p.session_id and s.platform = 'sandbox' limit 1`,
    eventId,
    await reader.now(),
    eventId,
  )
  return row?.sealed
}

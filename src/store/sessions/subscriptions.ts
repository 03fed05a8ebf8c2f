import { BOUNDS } from '../../domain/bounds.ts'
import type { Reader, Tx } from '../transaction.ts'

/**
 * Contacts whose presence a session follows; its host sees to it that its device has made them. Beyond the bound the
 * one that was asked for longest ago is given up: it is not made again when the link is opened anew.
 */
export async function addSubscription(tx: Tx, input: { sessionId: string; contactJid: string }): Promise<void> {
  await tx.get(`select id from sessions where id = ?${tx.forUpdate}`, input.sessionId)
  await tx.insert(
    'presence_subscriptions',
    [{ session_id: input.sessionId, contact_jid: input.contactJid, created_at: tx.nowMs }],
    'on conflict (session_id, contact_jid) do update set created_at = excluded.created_at',
  )
  await tx.run(
    `delete from presence_subscriptions where session_id = ? and contact_jid in (
       select contact_jid from presence_subscriptions where session_id = ?
       order by created_at desc, contact_jid desc limit 1000 offset ${BOUNDS.presenceSubscriptions})`,
    input.sessionId,
    input.sessionId,
  )
}

export async function readSubscriptions(reader: Reader, sessionId: string): Promise<string[]> {
  const rows = await reader.all<{ contact_jid: string }>(
    'select contact_jid from presence_subscriptions where session_id = ? order by created_at',
    sessionId,
  )
  return rows.map(row => row.contact_jid)
}

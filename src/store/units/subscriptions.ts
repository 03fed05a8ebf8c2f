import type { Reader, Tx } from '../tx.ts'

/** Contacts whose presence a session follows; its host sees to it that its device has made them. */
export async function addSubscription(tx: Tx, input: { sessionId: string; contactJid: string }): Promise<void> {
  await tx.insert(
    'presence_subscriptions',
    [{ session_id: input.sessionId, contact_jid: input.contactJid, created_at: tx.nowMs }],
    'on conflict (session_id, contact_jid) do nothing',
  )
}

export async function readSubscriptions(reader: Reader, sessionId: string): Promise<string[]> {
  const rows = await reader.all<{ contact_jid: string }>(
    'select contact_jid from presence_subscriptions where session_id = ? order by created_at',
    sessionId,
  )
  return rows.map(row => row.contact_jid)
}

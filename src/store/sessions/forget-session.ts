import type { Tx } from '../transaction.ts'
import { dropRequestsOf } from '../requests/requests.ts'
import { deleteSome } from '../retention/drop-expired.ts'
import { forgetPast, PAST } from './sessions.ts'

/** Everything of a device that is worth keeping no longer than its link. */
export async function forgetDevice(tx: Tx, sessionId: string): Promise<void> {
  await tx.run('delete from device_creds where session_id = ?', sessionId)
  await tx.run('delete from device_keys where session_id = ?', sessionId)
}

interface Waiting {
  sessionId: string
  /** Only messages of other accounts, when the number has moved to this one. */
  exceptAccountId: string | null
  /** What the messages say of their end. */
  detail: string
}

/** Ends messages that wait for a session: nobody will send them. Their webhook is off by then, so no event tells of it. */
export async function endWaiting(tx: Tx, input: Waiting): Promise<void> {
  await failWaiting(tx, input)
  await tx.run(
    `delete from commands where session_id = ? and not exists (
       select 1 from messages m where m.id = commands.message_id and m.account_id = ?)`,
    input.sessionId,
    input.exceptAccountId ?? '',
  )
  await dropRequestsOf(tx, input.sessionId)
}

/** As many as `limit`; answers how many. */
async function failWaiting(tx: Tx, { sessionId, exceptAccountId, detail }: Waiting, limit?: number): Promise<number> {
  const rows = await tx.all<{ id: string }>(
    `select m.id from commands c join messages m on m.id = c.message_id
     where c.session_id = ? and c.kind = 'send' and m.account_id <> ? and m.state in ('queued', 'scheduled')
     ${limit === undefined ? 'order by m.id' : `limit ${limit}`}`,
    sessionId,
    exceptAccountId ?? '',
  )
  if (rows.length === 0) return 0
  const r = tx.ids(rows.map(({ id }) => id).sort())
  await tx.run(
    `update messages set state = 'failed', reason = 'SEND_FAILED', detail = ?, updated_at = ?
     where id in (select id from ${r.sql} r)`,
    detail,
    tx.nowMs,
    ...r.params,
  )
  await tx.run(`delete from commands where id in (select id from ${r.sql} r)`, ...r.params)
  await tx.insert(
    'message_states',
    rows.map(({ id }) => ({ message_id: id, state: 'failed', recipient: '', at: tx.nowMs })),
    'on conflict (message_id, state, recipient) do nothing',
  )
  return rows.length
}

/** So much of each goes at once: a commit stays short. */
const AT_ONCE = 250

/**
 * Forgets some of what an account's number has received and remembers, and ends some of what waits for it, before the
 * number itself is forgotten or moves. Answers whether there may be more.
 */
export async function clearNumber(
  tx: Tx,
  input: { sessionId: string; accountId: string; detail: string },
): Promise<boolean> {
  const { sessionId, accountId, detail } = input
  const own = 'select id from sessions where id = ? and account_id = ?'
  if ((await tx.get(own, sessionId, accountId)) === undefined) return false
  let most = await failWaiting(tx, { sessionId, exceptAccountId: null, detail }, AT_ONCE)
  for (const table of PAST) {
    const removed = await deleteSome(tx, { table, where: 'session_id = ?', atMost: AT_ONCE }, sessionId)
    most = Math.max(most, removed)
  }
  return most === AT_ONCE
}

/**
 * Forgets an account's number, `false` where it has none such: its credentials, keys, what it received and what waits for it; its webhook is off. A host that
 * still runs it is fenced off by the lease, which stays long enough that nobody remembers its epochs. `detail` is what
 * the messages that waited say of their end.
 */
export async function forgetSession(
  tx: Tx,
  input: { sessionId: string; accountId: string; detail: string },
): Promise<boolean> {
  const { sessionId, accountId, detail } = input
  const own = `select id from sessions where id = ? and account_id = ?${tx.forUpdate}`
  if ((await tx.get(own, sessionId, accountId)) === undefined) return false
  await tx.run(
    "update leases set owner = null, epoch = epoch + 1, pool = null, changed_at = ? where kind = 'session' and id = ?",
    tx.nowMs,
    sessionId,
  )
  await forgetDevice(tx, sessionId)
  await endWaiting(tx, { sessionId, exceptAccountId: null, detail })
  const webhooks = await tx.all<{ id: string }>(
    'update webhooks set active = 0, updated_at = ? where session_id = ? returning id',
    tx.nowMs,
    sessionId,
  )
  for (const { id } of webhooks) tx.notify({ about: 'webhooks', webhookId: id })
  await forgetPast(tx, sessionId)
  tx.notify({ about: 'sessions', sessionId })
  return true
}

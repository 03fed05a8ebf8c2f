import type { Tx } from '../transaction.ts'
import { dropRequestsOf } from '../requests/requests.ts'
import { deleteSome } from '../retention/drop-expired.ts'
import { deletePast, PAST } from './sessions.ts'

/** Tables with the data of a device that is useless after its link. */
export async function forgetDevice(tx: Tx, sessionId: string): Promise<void> {
  await tx.run('delete from device_creds where session_id = ?', sessionId)
  await tx.run('delete from device_keys where session_id = ?', sessionId)
}

interface Waiting {
  sessionId: string
  /** Only messages of other accounts, when the number has moved to this one. */
  exceptAccountId: string | null
  /** The detail of the messages' failure. */
  detail: string
}

/**
 * Fails messages that wait for a session that no host will run. Its webhook is off by then, so no event is published.
 */
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

/** Fails at most `limit` messages; returns how many. */
export async function failWaiting(
  tx: Tx,
  { sessionId, exceptAccountId, detail }: Waiting,
  limit?: number,
): Promise<number> {
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

/** Rows of each table that one transaction deletes, so that it stays short. */
const BATCH = 250

/**
 * Deletes some of a number's received items and memory, and fails some of its waiting messages, before the number is
 * deleted or moves. Returns whether there may be more.
 */
export async function clearNumber(
  tx: Tx,
  input: { sessionId: string; accountId: string; detail: string },
): Promise<boolean> {
  const { sessionId, accountId, detail } = input
  const own = 'select id from sessions where id = ? and account_id = ?'
  if ((await tx.get(own, sessionId, accountId)) === undefined) return false
  let most = await failWaiting(tx, { sessionId, exceptAccountId: null, detail }, BATCH)
  for (const table of PAST) {
    // In the order of an index: PostgreSQL would rather find all rows of the number, or read all rows of the table.
    const rows = { table, where: 'session_id >= ? and session_id <= ?', order: 'session_id', atMost: BATCH }
    most = Math.max(most, await deleteSome(tx, rows, sessionId, sessionId))
  }
  return most === BATCH
}

/**
 * Deletes an account's number with its credentials, keys, received items and waiting messages, and turns its webhook
 * off; `false` if the account has no such number. A host that still runs it is fenced by the lease, which is kept
 * until no process can remember its epochs. `detail` is the detail of the waiting messages' failure.
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
  await deletePast(tx, sessionId)
  tx.notify({ about: 'sessions', sessionId })
  return true
}

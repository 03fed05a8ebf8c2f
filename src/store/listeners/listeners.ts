import { BOUNDS } from '../../domain/bounds.ts'
import type { EventKind } from '../../domain/event.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import type { Tx } from '../transaction.ts'

export interface NewListener {
  id: string
  accountId: string
  /** Used if the account has no secret yet; later listeners use the same one. */
  sealedSecret: Uint8Array
  /** How long it may send no request. */
  keptMs: number
  /** The kinds of events that it reads; `null` for all. */
  kinds: EventKind[] | null
}

/** `full`: the limit is reached, and all listeners are active. */
export type OpenedListener =
  | { kind: 'opened'; cursor: number; sealedSecret: Uint8Array; expiresAt: number }
  | { kind: 'full' }

/** Keeps the account's events for this listener from now on, until it sends no request for some time. */
export async function openListener(tx: Tx, listener: NewListener): Promise<OpenedListener> {
  const { id, accountId, sealedSecret, keptMs, kinds } = listener
  const row = { id: accountId, seq: 0, total: 0, acked: 0, listened_until: 0, secret: sealedSecret }
  await tx.insert('streams', [row], 'on conflict (id) do nothing')
  const stream = (await tx.get<{ seq: number; secret: Uint8Array }>(
    `select seq, secret from streams where id = ?${tx.forUpdate}`,
    accountId,
  ))!
  await tx.run('delete from listeners where account_id = ? and expires_at <= ?', accountId, tx.nowMs)
  if (!(await hasRoom(tx, accountId))) return { kind: 'full' }
  const expiresAt = tx.nowMs + keptMs
  const position = { acked: stream.seq, heard_at: tx.nowMs }
  const read = kinds === null ? null : JSON.stringify(kinds)
  await tx.insert('listeners', [{ id, account_id: accountId, ...position, expires_at: expiresAt, kinds: read }])
  await listenUntil(tx, accountId)
  await notifyNumbers(tx, accountId)
  return { kind: 'opened', cursor: stream.seq, sealedSecret: stream.secret, expiresAt }
}

/** At the limit the listener that has been silent the longest is removed, so that abandoned ones block no new one. */
async function hasRoom(tx: Tx, accountId: string): Promise<boolean> {
  const { n } = (await tx.get<{ n: number }>('select count(*) as n from listeners where account_id = ?', accountId))!
  if (n < BOUNDS.listeners) return true
  const left = await tx.get<{ id: string }>(
    `delete from listeners where id = (
       select l.id from listeners l where l.account_id = ? and l.heard_at < ? order by l.heard_at, l.id limit 1)
     returning id`,
    accountId,
    tx.nowMs - KEPT_MS.listeners,
  )
  return left !== undefined
}

/**
 * Records that the listener has read up to the cursor, and postpones its expiry. Returns the cursor to continue from, or
 * `undefined` if the listener does not exist. A cursor ahead of the stream comes from before a backup was restored. It
 * acknowledges nothing, and the listener continues after the last event that the restored database has as acknowledged. With
 * a cursor before that event it continues there too, because earlier events may be deleted.
 */
export async function acknowledge(
  tx: Tx,
  input: { id: string; accountId: string; cursor: number; keptMs: number },
): Promise<{ expiresAt: number; cursor: number; kinds: EventKind[] | null } | undefined> {
  const expiresAt = tx.nowMs + input.keptMs
  const stream = await tx.get<{ seq: number }>('select seq from streams where id = ?', input.accountId)
  const isAhead = input.cursor > (stream?.seq ?? 0)
  const read = isAhead ? 0 : input.cursor
  const listener = await tx.get<{ acked: number; kinds: string | null }>(
    `update listeners set acked = case when acked < ? then ? else acked end, heard_at = ?, expires_at = ?
     where id = ? and account_id = ? and expires_at > ? returning acked, kinds`,
    read,
    read,
    tx.nowMs,
    expiresAt,
    input.id,
    input.accountId,
    tx.nowMs,
  )
  if (listener === undefined) return undefined
  await listenUntil(tx, input.accountId)
  await dropAcked(tx, input.accountId)
  const kinds = listener.kinds === null ? null : (JSON.parse(listener.kinds) as EventKind[])
  return { expiresAt, cursor: listener.acked, kinds }
}

/** Returns whether it existed. */
export async function closeListener(tx: Tx, input: { id: string; accountId: string }): Promise<boolean> {
  const closed = await tx.get<{ id: string }>(
    'delete from listeners where id = ? and account_id = ? returning id',
    input.id,
    input.accountId,
  )
  await listenUntil(tx, input.accountId)
  await dropAcked(tx, input.accountId)
  await notifyNumbers(tx, input.accountId)
  return closed !== undefined
}

/** Whether a listener or an endpoint gets typing and presence decides how the numbers of its account appear. */
export async function notifyNumbers(tx: Tx, accountId: string): Promise<void> {
  const numbers = await tx.all<{ id: string }>('select id from sessions where account_id = ?', accountId)
  for (const { id } of numbers) tx.notify({ about: 'sessions', sessionId: id })
}

/** A stream gets events until the last of its listeners expires. */
async function listenUntil(tx: Tx, accountId: string): Promise<void> {
  await tx.run(
    `update streams set listened_until = (
       select coalesce(max(l.expires_at), 0) from listeners l where l.account_id = streams.id)
     where id = ?`,
    accountId,
  )
}

/** Deletes the events that every listener has read. */
async function dropAcked(tx: Tx, accountId: string): Promise<void> {
  await tx.run(
    `delete from listened_events where stream_id = ? and seq <= (
       select coalesce(min(l.acked), (select s.seq from streams s where s.id = ?))
       from listeners l where l.account_id = ? and l.expires_at > ?)`,
    accountId,
    accountId,
    accountId,
    tx.nowMs,
  )
}

import type { PlatformName, SessionState } from '../../domain/session.ts'
import { insertEvents, type NewEvent } from '../events/events.ts'
import { endWaiting, failWaiting } from '../sessions/forget-session.ts'
import type { Reader, Tx } from '../transaction.ts'

export interface MovedNumber {
  /** The highest epoch that this gateway knows of the number. */
  epoch: number
  /** When the number left; `null` if it did not, or is here again. */
  exportedAt: number | null
}

export async function readMovedNumber(reader: Reader, sessionId: string): Promise<MovedNumber | undefined> {
  return await reader.get<MovedNumber>(
    'select epoch, exported_at as "exportedAt" from moved_numbers where session_id = ?',
    sessionId,
  )
}

/** Counting ends here. */
const COUNTED = 10_000

/** How many commands wait for a number: messages, edits and revokes. */
export async function countWaitingCommands(reader: Reader, sessionId: string): Promise<number> {
  const row = await reader.get<{ n: number }>(
    `select count(*) as n from (select 1 as found from commands where session_id = ? limit ${COUNTED}) c`,
    sessionId,
  )
  return Number(row!.n)
}

const BATCH = 250

/** Fails some messages of a number that is about to leave. Returns whether there may be more. */
export async function failSomeWaiting(tx: Tx, input: { sessionId: string; detail: string }): Promise<boolean> {
  return (await failWaiting(tx, { ...input, exceptAccountId: null }, BATCH)) === BATCH
}

export type Stopped =
  | { kind: 'stopped'; epoch: number }
  /** Commands wait, and the caller has not said that they may fail. */
  | { kind: 'waiting' }
  | { kind: 'logged_out' }
  | { kind: 'gone' }

export interface Stopping {
  sessionId: string
  /** Whether waiting messages fail; otherwise the number does not stop while some wait. */
  failWaiting: boolean
  /** Why the number is not connected, and why waiting messages failed. */
  reason: string
  /** Whether the owner had paused the number before it was paused for this. */
  paused: boolean
  /** Tells programs that the number is gone. */
  event: NewEvent
}

/**
 * Ends the hosting of a number for good, so that another gateway can run it: after this commit no process of this gateway
 * can write its state, and none can take it. The state stays readable, so that an interrupted download can be repeated.
 */
export async function stopForMove(tx: Tx, input: Stopping): Promise<Stopped> {
  const { sessionId, reason } = input
  const row = await tx.get<{ state: SessionState }>(`select state from sessions where id = ?${tx.forUpdate}`, sessionId)
  if (row === undefined) return { kind: 'gone' }
  const moved = await readMovedNumber(tx, sessionId)
  if (moved !== undefined && moved.exportedAt !== null) return { kind: 'stopped', epoch: Number(moved.epoch) }
  if (row.state === 'logged_out') return { kind: 'logged_out' }
  if (!input.failWaiting && (await countWaitingCommands(tx, sessionId)) > 0) return { kind: 'waiting' }
  await tx.run(
    "update leases set owner = null, epoch = epoch + 1, pool = null, changed_at = ? where kind = 'session' and id = ?",
    tx.nowMs,
    sessionId,
  )
  await endWaiting(tx, { sessionId, exceptAccountId: null, detail: reason })
  const epoch = Number(moved?.epoch ?? 0) + 1
  await tx.insert(
    'moved_numbers',
    [{ session_id: sessionId, epoch, exported_at: tx.nowMs, importing: null, importing_at: null }],
    'on conflict (session_id) do update set epoch = excluded.epoch, exported_at = excluded.exported_at',
  )
  await insertEvents(tx, [input.event])
  await tx.run(
    `update sessions set state = 'logged_out', link_reason = ?, link_until = null, paused = ?,
       down_since = coalesce(down_since, ?), last_connection_event = 'logged_out', told_event_id = ? where id = ?`,
    reason,
    input.paused ? 1 : 0,
    tx.nowMs,
    input.event.id,
    sessionId,
  )
  tx.notify({ about: 'sessions', sessionId })
  return { kind: 'stopped', epoch }
}

/** Runs a number that has left here again; `false` if it has not left. Its file must not be imported any more. */
export async function takeBackNumber(tx: Tx, sessionId: string): Promise<boolean> {
  const changed = await tx.run(
    'update moved_numbers set exported_at = null where session_id = ? and exported_at is not null',
    sessionId,
  )
  const row = await tx.get<{ platform: PlatformName }>(
    `select platform from sessions where id = ?${tx.forUpdate}`,
    sessionId,
  )
  if (changed === 0 || row === undefined) return false
  await tx.run("update sessions set state = 'connecting', link_reason = null where id = ?", sessionId)
  await tx.run(
    "update leases set pool = ?, changed_at = ? where kind = 'session' and id = ?",
    row.platform,
    tx.nowMs,
    sessionId,
  )
  tx.notify({ about: 'sessions', sessionId })
  return true
}

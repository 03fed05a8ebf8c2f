import type { FirstHistory, HistoryProgress, WaitingHistory } from '../../domain/history.ts'
import type { SessionLease } from '../../domain/lease.ts'
import { insertEvents, type NewEvent } from '../events/events.ts'
import { heldLeases } from '../leases/fence.ts'
import type { Reader, Tx } from '../transaction.ts'
import { rememberSeen, type SealedSeen } from './seen-messages.ts'

/** The job that the phone answers; `undefined` if it is over. */
export async function findWaitingHistory(
  reader: Reader,
  { sessionId, platformId }: { sessionId: string; platformId: string },
): Promise<WaitingHistory | undefined> {
  return await reader.get<WaitingHistory>(
    `select id, chat_jid as "chatJid", wanted - found as left from history_jobs
     where session_id = ? and platform_id = ? and state in ('waiting', 'receiving') and ends_at > ${reader.nowSql}`,
    sessionId,
    platformId,
  )
}

/** In the transaction that publishes the messages. */
export async function progressHistory(tx: Tx, { jobId, found, state, hasMore }: HistoryProgress): Promise<void> {
  await tx.run(
    `update history_jobs set found = found + ?, state = ?, has_more = coalesce(?, has_more), updated_at = ? where id = ?`,
    found,
    state,
    hasMore === null ? null : hasMore ? 1 : 0,
    tx.nowMs,
    jobId,
  )
}

/** The history after linking, if it was asked for; `undefined` if all of it has arrived, or its time is over. */
export async function findFirstHistory(reader: Reader, sessionId: string): Promise<FirstHistory | undefined> {
  const row = await reader.get<{ id: string; state: string; left: number; linkedAt: number }>(
    `select id, state, wanted - found as left, created_at as "linkedAt" from history_jobs
     where session_id = ? and chat_jid = '' and ends_at > ${reader.nowSql} and wanted > found
     order by created_at desc limit 1`,
    sessionId,
  )
  return row && { id: row.id, isDone: row.state === 'done', left: Number(row.left), linkedAtMs: Number(row.linkedAt) }
}

export interface HistorySlice {
  lease: SessionLease
  jobId: string
  /** An item of the inbox with one of these keys publishes the message, too. */
  messages: Array<{ event: NewEvent; seen: SealedSeen; inboxKeys: string[] }>
}

type PublishedSlice = { kind: 'lost' } | { kind: 'done'; published: string[] }

/**
 * Publishes some messages of a history, and returns the ids of their events. A message that is known or waits in the inbox
 * is left out, so repeating the write changes nothing. The last message that the job wants ends it: a host may die before
 * it finishes the item.
 */
export async function publishHistorySlice(
  tx: Tx,
  { lease, jobId, messages: given }: HistorySlice,
): Promise<PublishedSlice> {
  if (!(await heldLeases(tx, [lease]))(lease)) return { kind: 'lost' }
  const waiting = await waitingKeys(
    tx,
    lease.id,
    given.flatMap(({ inboxKeys }) => inboxKeys),
  )
  const messages = given.filter(({ inboxKeys }) => !inboxKeys.some(key => waiting.has(key)))
  const seen = messages.map(each => each.seen)
  const added = await rememberSeen(tx, [{ sessionId: lease.id, seen }], 'returning message_id, chat_jid')
  const names = new Set(added.map(({ message_id, chat_jid }) => `${message_id} ${chat_jid}`))
  const fresh = messages.filter(({ seen: { messageId, chatJid } }) => names.has(`${messageId} ${chatJid}`))
  await insertEvents(
    tx,
    fresh.map(({ event }) => event),
  )
  await tx.run(
    `update history_jobs set found = found + ?,
       state = case when found + ? >= wanted then 'done' when state = 'waiting' then 'receiving' else state end,
       has_more = case when found + ? >= wanted then 1 else has_more end, updated_at = ? where id = ?`,
    fresh.length,
    fresh.length,
    fresh.length,
    tx.nowMs,
    jobId,
  )
  return { kind: 'done', published: fresh.map(({ event }) => event.id) }
}

/** Which of these keys items have that are not finished yet. */
async function waitingKeys(tx: Tx, sessionId: string, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const r = tx.values(
    { key: 'text' },
    keys.map(key => ({ key })),
  )
  // A subquery for each key: the planner may read every item of the number for a join.
  const rows = await tx.all<{ key: string | null }>(
    `select (select i.key from inbox i where i.session_id = ? and i.key = r.key and i.done_at is null) as key from ${r.sql} r`,
    sessionId,
    ...r.params,
  )
  return new Set(rows.flatMap(({ key }) => key ?? []))
}

import type { FirstHistory, HistoryProgress, WaitingHistory } from '../../domain/history.ts'
import type { SessionLease } from '../../domain/lease.ts'
import { insertEvents, type NewEvent } from '../events/events.ts'
import { type Fenced, heldLeases } from '../leases/fence.ts'
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
  const row = await reader.get<{ id: string; state: string; left: number }>(
    `select id, state, wanted - found as left from history_jobs
     where session_id = ? and chat_jid = '' and ends_at > ${reader.nowSql} and wanted > found
     order by created_at desc limit 1`,
    sessionId,
  )
  return row && { id: row.id, isDone: row.state === 'done', left: Number(row.left) }
}

export interface HistorySlice {
  lease: SessionLease
  jobId: string
  messages: Array<{ event: NewEvent; seen: SealedSeen }>
}

/** Publishes some messages of a history. A message that is known is left out, so repeating the write changes nothing. */
export async function publishHistorySlice(tx: Tx, { lease, jobId, messages }: HistorySlice): Promise<Fenced> {
  if (!(await heldLeases(tx, [lease]))(lease)) return 'lost'
  const seen = messages.map(each => each.seen)
  const added = await rememberSeen(tx, [{ sessionId: lease.id, seen }], 'returning message_id, chat_jid')
  const names = new Set(added.map(({ message_id, chat_jid }) => `${message_id} ${chat_jid}`))
  const fresh = messages.filter(({ seen: { messageId, chatJid } }) => names.has(`${messageId} ${chatJid}`))
  await insertEvents(
    tx,
    fresh.map(({ event }) => event),
  )
  await tx.run(
    `update history_jobs set found = found + ?, state = case when state = 'waiting' then 'receiving' else state end,
       updated_at = ? where id = ?`,
    fresh.length,
    tx.nowMs,
    jobId,
  )
  return 'done'
}

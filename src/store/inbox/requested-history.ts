import type { HistoryProgress, WaitingHistory } from '../../domain/history.ts'
import type { Reader, Tx } from '../transaction.ts'

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

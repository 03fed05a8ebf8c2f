import { BOUNDS } from '../../domain/bounds.ts'
import type { HistoryJob, HistoryState } from '../../domain/history.ts'
import type { Reader, Tx } from '../transaction.ts'

export interface NewHistoryJob {
  id: string
  sessionId: string
  chatJid: string
  /** The phone names it in its answer. */
  platformId: string
  wanted: number
  waitMs: number
}

/** `crowded`: as many as may wait for the phone of this number. */
export async function addHistoryJob(tx: Tx, job: NewHistoryJob): Promise<'added' | 'crowded'> {
  // Concurrent requests cannot exceed the limit.
  await tx.get(`select 1 as known from sessions where id = ?${tx.forUpdate}`, job.sessionId)
  const { n } = (await tx.get<{ n: number }>(
    `select count(*) as n from history_jobs where session_id = ? and state in ('waiting', 'receiving') and ends_at > ?`,
    job.sessionId,
    tx.nowMs,
  ))!
  if (n >= BOUNDS.waitingHistory) return 'crowded'
  await insertJob(tx, job)
  return 'added'
}

async function insertJob(tx: Tx, job: NewHistoryJob): Promise<void> {
  await tx.insert('history_jobs', [
    {
      id: job.id,
      session_id: job.sessionId,
      platform_id: job.platformId,
      chat_jid: job.chatJid,
      state: 'waiting',
      wanted: job.wanted,
      found: 0,
      has_more: null,
      created_at: tx.nowMs,
      updated_at: tx.nowMs,
      ends_at: tx.nowMs + job.waitMs,
    },
  ])
}

/** Adds the job for the history of a device that was just linked, if it is wanted, and ends those of earlier devices. */
export async function beginFirstHistory(
  tx: Tx,
  { sessionId, first }: { sessionId: string; first: Omit<NewHistoryJob, 'sessionId' | 'chatJid'> | null },
): Promise<void> {
  await tx.run(
    `update history_jobs set ends_at = ? where session_id = ? and chat_jid = '' and ends_at > ?`,
    tx.nowMs,
    sessionId,
    tx.nowMs,
  )
  if (first) await insertJob(tx, { ...first, sessionId, chatJid: '' })
}

/** The request never left. */
export async function dropHistoryJob(tx: Tx, id: string): Promise<void> {
  await tx.run('delete from history_jobs where id = ?', id)
}

interface JobRow {
  id: string
  sessionId: string
  chatJid: string
  state: HistoryState
  wanted: number
  found: number
  hasMore: number | null
  createdAt: number
  updatedAt: number
  endsAt: number
}

export async function getHistoryJob(reader: Reader, id: string): Promise<HistoryJob | undefined> {
  const row = await reader.get<JobRow>(
    `select id, session_id as "sessionId", chat_jid as "chatJid", state, wanted, found, has_more as "hasMore",
       created_at as "createdAt", updated_at as "updatedAt", ends_at as "endsAt" from history_jobs where id = ?`,
    id,
  )
  if (row === undefined) return undefined
  const isOpen = row.state === 'waiting' || row.state === 'receiving'
  const isOver = isOpen && row.endsAt <= (await reader.now())
  return {
    ...row,
    chatJid: row.chatJid === '' ? null : row.chatJid,
    state: isOver ? 'expired' : row.state,
    hasMore: row.hasMore === null ? null : row.hasMore === 1,
  }
}

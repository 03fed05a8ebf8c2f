import type { Tx } from '../transaction.ts'

/** Jobs that every process runs, one process at a time. */
const JOBS = { fold_usage: 1, drop_expired: 2, drop_messages: 3, drop_meters: 4, drop_hosting: 5, drop_history: 6 }

/** Separates these advisory locks from others in the same database. */
const LOCK_CLASS = 7_063_520

/**
 * Takes the lock of a job until the transaction ends, without waiting: `false` if another process runs the job now. On
 * SQLite there is one writer, which always has the lock.
 */
export async function tryJobLock(tx: Tx, job: keyof typeof JOBS): Promise<boolean> {
  if (tx.dialect === 'sqlite') return true
  const row = await tx.get<{ taken: boolean }>(
    'select pg_try_advisory_xact_lock(?::int, ?::int) as taken',
    LOCK_CLASS,
    JOBS[job],
  )
  return row!.taken
}

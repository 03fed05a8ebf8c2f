import { KEPT_MS } from '../../domain/retention.ts'
import type { Tx } from '../transaction.ts'
import { tryJobLock } from './job-lock.ts'
import { dropOld, type Old } from './drop-old.ts'
import { dropUploads } from './drop-uploads.ts'

const SLICE = 250
/** Payloads are large. */
const PAYLOADS_PER_SLICE = 50
const HOUR_MS = 3_600_000

/** Deletes some of what is past its time, so that nobody waits long behind it. Answers whether there may be more. */
export async function dropExpired(tx: Tx): Promise<boolean> {
  if (!(await tryJobLock(tx, 'drop_expired'))) return false
  const expired = (table: string): Old => ({ table, time: 'expires_at', before: tx.nowMs, atMost: SLICE })
  const firstHour = Math.floor((tx.nowMs - KEPT_MS.usageHours) / HOUR_MS)
  const more = await dropOld(tx, [
    expired('message_contents'),
    expired('answers'),
    expired('traces'),
    expired('requests'),
    expired('portal_sessions'),
    expired('sign_in_links'),
    { ...expired('sandbox_payloads'), atMost: PAYLOADS_PER_SLICE },
    { table: 'api_log', time: 'until_at', before: tx.nowMs - KEPT_MS.apiLog, atMost: PAYLOADS_PER_SLICE },
    { ...expired('listened_events'), atMost: PAYLOADS_PER_SLICE },
    expired('listeners'),
    { ...expired('usage_hours'), time: 'hour', before: firstHour },
  ])
  return (await dropUploads(tx)) || more
}

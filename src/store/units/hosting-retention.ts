import type { Tx } from '../tx.ts'

const INBOX_KEPT_MS = 30 * 86_400_000
const PAIRING_KEPT_MS = 86_400_000
/** Of numbers that are gone: no host lives on for so long with an epoch that might come again. */
const LEASE_KEPT_MS = 30 * 86_400_000
/** Rows that one round removes from each table: a commit stays short. */
const ROUND = 2_000

/** Removes what has outlived its time; answers how many rows, so that the caller comes again soon when there are more. */
export async function sweepHosting(tx: Tx, _input: null): Promise<number> {
  let removed = 0
  const sweep = async (table: string, key: string, where: string, before: number): Promise<void> => {
    removed += await tx.run(
      `delete from ${table} where (${key}) in (select ${key} from ${table} where ${where} limit ${ROUND})`,
      before,
    )
  }
  await sweep('inbox', 'session_id, key', 'done_at < ?', tx.nowMs - INBOX_KEPT_MS)
  await sweep('unfinished_messages', 'session_id, key', 'tried_at < ?', tx.nowMs - INBOX_KEPT_MS)
  await sweep('seen_messages', 'session_id, message_id, chat_jid', 'expires_at < ?', tx.nowMs)
  await sweep('sent_messages', 'session_id, platform_id', 'expires_at < ?', tx.nowMs)
  await sweep('pairings', 'id', 'expires_at < ?', tx.nowMs - PAIRING_KEPT_MS)
  await sweep(
    'leases',
    'resource',
    `expires_at < ? and owner is null and resource like 'session:%'
       and not exists (select 1 from sessions s where s.id = substr(leases.resource, 9))`,
    tx.nowMs - LEASE_KEPT_MS,
  )
  await sweep('hosts', 'id', 'seen_at < ?', tx.nowMs - PAIRING_KEPT_MS)
  return removed
}

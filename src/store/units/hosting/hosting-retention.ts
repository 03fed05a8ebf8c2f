import { BOUNDS } from '../../../domain/bounds.ts'
import type { Reader, Tx } from '../../tx.ts'

const INBOX_KEPT_MS = 30 * 86_400_000
const PAIRING_KEPT_MS = 86_400_000
/** Of numbers that are gone: no host lives on for so long with an epoch that might come again. */
const LEASE_KEPT_MS = 30 * 86_400_000
/** Rows that one round removes from each table: a commit stays short. */
const ROUND = 2_000

/** Removes what has outlived its time; answers how many rows, so that the caller comes again soon when there are more. */
export async function sweepHosting(tx: Tx): Promise<number> {
  let removed = 0
  const sweep = async (table: string, key: string, where: string, before: number): Promise<void> => {
    removed += await tx.run(
      `delete from ${table} where (${key}) in (select ${key} from ${table} where ${where} limit ${ROUND})`,
      before,
    )
  }
  await sweep('unfinished_messages', 'session_id, key', 'tried_at < ?', tx.nowMs - INBOX_KEPT_MS)
  await sweep('sent_messages', 'session_id, platform_id', 'expires_at < ?', tx.nowMs)
  await sweep('pairings', 'id', 'expires_at < ?', tx.nowMs - PAIRING_KEPT_MS)
  removed += await dropLeases(tx)
  await sweep('hosts', 'id', 'seen_at < ?', tx.nowMs - PAIRING_KEPT_MS)
  return removed
}

/** Of numbers that are gone. What is deleted is looked at once more: a number may be linked again at this moment. */
async function dropLeases(tx: Tx): Promise<number> {
  const before = tx.nowMs - LEASE_KEPT_MS
  return await tx.run(
    `delete from leases where kind = 'session' and expires_at < ? and owner is null and id in (
       select l.id from leases l where l.kind = 'session' and l.expires_at < ? and l.owner is null
         and not exists (select 1 from sessions s where s.id = l.id) limit ${ROUND})`,
    before,
    before,
  )
}

/** What a number receives leaves these; the rest of each goes in the order of its time. */
const LEFT_BY_MESSAGES = {
  inbox: { table: 'inbox', key: 'session_id, key', time: 'done_at', which: 'done_at is not null' },
  seen: { table: 'seen_messages', key: 'session_id, message_id, chat_jid', time: 'expires_at', which: 'from_me = 0' },
  /** Nobody but the number's owner makes these, so that they are bounded by time alone. */
  own: { table: 'seen_messages', key: 'session_id, message_id, chat_jid', time: 'expires_at', which: 'from_me = 1' },
} as const

/** What goes of one number: everything up to a time. */
export interface Outlived {
  what: keyof typeof LEFT_BY_MESSAGES
  sessionId: string
  throughMs: number
}

const oldestOf = ({ table, time, which }: (typeof LEFT_BY_MESSAGES)[Outlived['what']]): string =>
  `(select min(${time}) from ${table} t where t.session_id = s.id and ${which})`
const firstBeyond = ({ table, time, which }: (typeof LEFT_BY_MESSAGES)[Outlived['what']], max: number): string =>
  `(select ${time} from ${table} t where t.session_id = s.id and ${which} order by ${time} desc limit 1 offset ${max})`

interface KeptRow {
  id: string
  inboxOldest: number | null
  inboxBeyond: number | null
  seenOldest: number | null
  seenBeyond: number | null
  ownOldest: number | null
}

/**
 * Of the next number that `owner` hosts, or nobody, what is past its time or more than may be; and the number to go on
 * behind, `null` at the end. One number at a time: where the database is in this process, nothing else runs meanwhile.
 */
export async function readOutlived(
  reader: Reader,
  input: { afterSessionId: string; owner: string },
): Promise<{ outlived: Outlived[]; next: string | null }> {
  const { inbox, seen, own } = LEFT_BY_MESSAGES
  const row = await reader.get<KeptRow>(
    `select s.id, ${oldestOf(inbox)} as "inboxOldest", ${firstBeyond(inbox, BOUNDS.doneInboxRows)} as "inboxBeyond",
       ${oldestOf(seen)} as "seenOldest", ${firstBeyond(seen, BOUNDS.seenMessages)} as "seenBeyond",
       ${oldestOf(own)} as "ownOldest"
     from sessions s where s.id > ? and not exists (
       select 1 from leases l where l.kind = 'session' and l.id = s.id and l.owner <> ? and l.expires_at > ${reader.nowSql})
     order by s.id limit 1`,
    input.afterSessionId,
    input.owner,
  )
  if (row === undefined) return { outlived: [], next: null }
  const now = await reader.now()
  const outlived: Outlived[] = []
  const look = (what: Outlived['what'], oldest: number | null, throughMs: number): void => {
    if (oldest !== null && oldest <= throughMs) outlived.push({ what, sessionId: row.id, throughMs })
  }
  look('inbox', row.inboxOldest, Math.max(now - INBOX_KEPT_MS, row.inboxBeyond ?? 0))
  look('seen', row.seenOldest, Math.max(now, row.seenBeyond ?? 0))
  look('own', row.ownOldest, now)
  return { outlived, next: row.id }
}

/** Removes some of it, the oldest first; `false` when nothing is left of it. */
export async function dropOutlived(tx: Tx, { what, sessionId, throughMs }: Outlived): Promise<boolean> {
  const { table, key, time, which } = LEFT_BY_MESSAGES[what]
  const removed = await tx.run(
    `delete from ${table} where (${key}) in (
       select ${key} from ${table} where session_id = ? and ${which} and ${time} <= ? order by ${time} limit ${ROUND})`,
    sessionId,
    throughMs,
  )
  return removed === ROUND
}

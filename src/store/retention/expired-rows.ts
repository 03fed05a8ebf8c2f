import { BOUNDS } from '../../domain/bounds.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import type { Reader, Tx } from '../transaction.ts'
import { deleteSome } from './delete-some.ts'

/** Rows that one round removes: a commit stays short. */
const ROUND = 500

/** What a number receives leaves these; the rest of each goes in the order of its time. */
const LEFT_BY_MESSAGES = {
  inbox: { table: 'inbox', time: 'done_at', which: 'done_at is not null' },
  seen: { table: 'seen_messages', time: 'expires_at', which: 'from_me = 0' },
  /** Nobody but the number's owner makes these, so that they are bounded by time alone. */
  own: { table: 'seen_messages', time: 'expires_at', which: 'from_me = 1' },
} as const

/** What goes of one number: everything up to a time. */
export interface ExpiredRows {
  what: keyof typeof LEFT_BY_MESSAGES
  sessionId: string
  throughMs: number
}

const oldestOf = ({ table, time, which }: (typeof LEFT_BY_MESSAGES)[ExpiredRows['what']]): string =>
  `(select min(${time}) from ${table} t where t.session_id = s.id and ${which})`
const firstBeyond = ({ table, time, which }: (typeof LEFT_BY_MESSAGES)[ExpiredRows['what']], max: number): string =>
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
export async function readExpiredRows(
  reader: Reader,
  input: { afterSessionId: string; owner: string },
): Promise<{ outlived: ExpiredRows[]; next: string | null }> {
  const { inbox, seen, own } = LEFT_BY_MESSAGES
  const row = await reader.get<KeptRow>(
    `select s.id, ${oldestOf(inbox)} as "inboxOldest", ${firstBeyond(inbox, BOUNDS.doneInboxRows)} as "inboxBeyond",
       ${oldestOf(seen)} as "seenOldest", ${firstBeyond(seen, BOUNDS.seenMessages)} as "seenBeyond",
       ${oldestOf(own)} as "ownOldest"
     from sessions s where s.id > ? and not exists (
       select 1 from leases l where l.kind = 'session' and l.id = s.id and l.owner <> ?)
     order by s.id limit 1`,
    input.afterSessionId,
    input.owner,
  )
  if (row === undefined) return { outlived: [], next: null }
  const now = await reader.now()
  const outlived: ExpiredRows[] = []
  const look = (what: ExpiredRows['what'], oldest: number | null, throughMs: number): void => {
    if (oldest !== null && oldest <= throughMs) outlived.push({ what, sessionId: row.id, throughMs })
  }
  look('inbox', row.inboxOldest, Math.max(now - KEPT_MS.doneInbox, row.inboxBeyond ?? 0))
  look('seen', row.seenOldest, Math.max(now, row.seenBeyond ?? 0))
  look('own', row.ownOldest, now)
  return { outlived, next: row.id }
}

/** Removes some of it, the oldest first; `false` when nothing is left of it. */
export async function dropExpiredRows(tx: Tx, { what, sessionId, throughMs }: ExpiredRows): Promise<boolean> {
  const { table, time, which } = LEFT_BY_MESSAGES[what]
  const old = { table, where: `session_id = ? and ${which} and ${time} <= ?`, order: time, atMost: ROUND }
  return (await deleteSome(tx, old, sessionId, throughMs)) === ROUND
}

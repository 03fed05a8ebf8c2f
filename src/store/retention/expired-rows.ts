import { BOUNDS } from '../../domain/bounds.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import type { Reader, Tx } from '../transaction.ts'
import { deleteSome } from './drop-expired.ts'

/** Rows that one transaction deletes, so that it stays short. */
const BATCH = 500

/** Rows that received messages leave behind. */
const LEFT_BY_MESSAGES = {
  inbox: { table: 'inbox', time: 'done_at', which: 'done_at is not null' },
  seen: { table: 'seen_messages', time: 'expires_at', which: 'from_me = 0' },
  /** Only the number's owner creates these, so their number is not bounded. */
  own: { table: 'seen_messages', time: 'expires_at', which: 'from_me = 1' },
} as const

/** Rows of one number that are to be deleted: all up to a time. */
export interface ExpiredRows {
  what: keyof typeof LEFT_BY_MESSAGES
  sessionId: string
  throughMs: number
}

const oldestOf = ({ table, time, which }: (typeof LEFT_BY_MESSAGES)[ExpiredRows['what']]): string =>
  `(select min(${time}) from ${table} t where t.session_id = s.id and ${which})`

/** The time of the newest row beyond the limit; 0 if there is none. */
async function firstBeyond(
  reader: Reader,
  { table, time, which }: (typeof LEFT_BY_MESSAGES)[ExpiredRows['what']],
  { sessionId, max }: { sessionId: string; max: number },
): Promise<number> {
  const row = await reader.get<{ at: number }>(
    `select ${time} as at from ${table} where session_id = ? and ${which} order by ${time} desc limit 1 offset ${max}`,
    sessionId,
  )
  return row?.at ?? 0
}

interface KeptRow {
  id: string
  inboxOldest: number | null
  seenOldest: number | null
  ownOldest: number | null
}

/**
 * The expired and surplus rows of the next number that `owner` or no host owns, and the number to continue after, `null`
 * at the end. One number at a time: an embedded database blocks its thread meanwhile.
 */
export async function readExpiredRows(
  reader: Reader,
  input: { afterSessionId: string; owner: string },
): Promise<{ expired: ExpiredRows[]; next: string | null }> {
  const { inbox, seen, own } = LEFT_BY_MESSAGES
  const row = await reader.get<KeptRow>(
    `select s.id, ${oldestOf(inbox)} as "inboxOldest", ${oldestOf(seen)} as "seenOldest", ${oldestOf(own)} as "ownOldest"
     from sessions s where s.id > ? and not exists (
       select 1 from leases l where l.kind = 'session' and l.id = s.id and l.owner <> ?)
     order by s.id limit 1`,
    input.afterSessionId,
    input.owner,
  )
  if (row === undefined) return { expired: [], next: null }
  const sessionId = row.id
  const inboxBeyond = await firstBeyond(reader, inbox, { sessionId, max: BOUNDS.doneInboxRows })
  const seenBeyond = await firstBeyond(reader, seen, { sessionId, max: BOUNDS.seenMessages })
  const now = await reader.now()
  const expired: ExpiredRows[] = []
  const check = (what: ExpiredRows['what'], oldest: number | null, throughMs: number): void => {
    if (oldest !== null && oldest <= throughMs) expired.push({ what, sessionId, throughMs })
  }
  check('inbox', row.inboxOldest, Math.max(now - KEPT_MS.doneInbox, inboxBeyond))
  check('seen', row.seenOldest, Math.max(now, seenBeyond))
  check('own', row.ownOldest, now)
  return { expired, next: sessionId }
}

/** Deletes some of them, the oldest first; `false` when none are left. */
export async function dropExpiredRows(tx: Tx, { what, sessionId, throughMs }: ExpiredRows): Promise<boolean> {
  const { table, time, which } = LEFT_BY_MESSAGES[what]
  const old = { table, where: `session_id = ? and ${which} and ${time} <= ?`, order: time, atMost: BATCH }
  return (await deleteSome(tx, old, sessionId, throughMs)) === BATCH
}

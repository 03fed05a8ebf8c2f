import { BOUNDS } from '../../domain/bounds.ts'
import { HEALTH_DAYS, newChatsChange, restrictionChange } from '../../domain/health.ts'
import type { SessionLease } from '../../domain/lease.ts'
import type { NewChatCap, Restriction } from '../../domain/session.ts'
import { insertEvents, type NewEvent } from '../events/events.ts'
import { heldLeases } from '../leases/fence.ts'
import type { Reader, Tx } from '../transaction.ts'

const DAY_MS = 86_400_000

/** Records until when the number may not write to strangers; `null`: it may again. Publishes the event if that is new. */
export async function restrictSession(
  tx: Tx,
  input: { lease: SessionLease; restriction: Restriction | null; event: NewEvent },
): Promise<boolean> {
  if (!(await heldLeases(tx, [input.lease]))(input.lease)) return false
  const id = input.lease.id
  const row = await tx.get<{ until: number | null; type: string | null }>(
    'select restricted_until as until, restriction_type as type from sessions where id = ?',
    id,
  )
  const before = row === undefined || row.until === null ? null : { untilMs: row.until, type: row.type }
  const isNew = restrictionChange(before, input.restriction, tx.nowMs) !== null
  const { untilMs = null, type = null } = input.restriction ?? {}
  await tx.run(
    'update sessions set restricted_until = ?, restriction_type = ?, restricted_at = ? where id = ?',
    untilMs,
    type,
    tx.nowMs,
    id,
  )
  if (isNew) await insertEvents(tx, [input.event])
  tx.notify({ about: 'sessions', sessionId: id })
  return isNew
}

/** Records the platform's limit of new chats. Publishes the event if its status has changed. */
export async function capNewChats(
  tx: Tx,
  input: { lease: SessionLease; cap: NewChatCap; event: NewEvent },
): Promise<boolean> {
  if (!(await heldLeases(tx, [input.lease]))(input.lease)) return false
  const id = input.lease.id
  const row = await tx.get<{ cap: string | null }>('select new_chat_cap as cap from sessions where id = ?', id)
  const before = row?.cap ? (JSON.parse(row.cap) as NewChatCap) : null
  // Most numbers have no limit: that is nothing to show.
  if (before === null && input.cap.status === 'none' && input.cap.limit === null) return false
  const isNew = newChatsChange(before, input.cap, tx.nowMs) !== null
  await tx.run('update sessions set new_chat_cap = ? where id = ?', JSON.stringify(input.cap), id)
  if (isNew) await insertEvents(tx, [input.event])
  tx.notify({ about: 'sessions', sessionId: id })
  return isNew
}

/** Counts a message that the platform refused, and forgets refusals that are no longer shown. */
export async function recordRefusal(tx: Tx, input: { lease: SessionLease; code: number }): Promise<boolean> {
  if (!(await heldLeases(tx, [input.lease]))(input.lease)) return false
  const day = Math.floor(tx.nowMs / DAY_MS)
  const row = { session_id: input.lease.id, code: input.code, day, n: 1, last_at: tx.nowMs }
  await tx.insert(
    'refusals',
    [row],
    'on conflict (session_id, code, day) do update set n = refusals.n + 1, last_at = excluded.last_at',
  )
  await tx.run('delete from refusals where session_id = ? and day <= ?', input.lease.id, day - HEALTH_DAYS)
  return true
}

export interface CountedHealth {
  refusals: Array<{ code: number; count: number; lastAt: number }>
  /** Direct chats that the number has written to lately, and those of them with a message of the other person. */
  chats: number
  answered: number
}

/** The newest messages of the account that are searched for chats of the number. */
const SEARCHED = 5_000

/** What the gateway counts for the health of a number, over the last days. */
export async function countHealth(
  reader: Reader,
  input: { sessionId: string; accountId: string; nowMs: number },
): Promise<CountedHealth> {
  const { sessionId, accountId, nowMs } = input
  const refusals = await reader.all<{ code: number; count: number; lastAt: number }>(
    `select code, sum(n) as count, max(last_at) as "lastAt" from refusals
     where session_id = ? and day > ? group by code order by code limit ${BOUNDS.refusalCodes}`,
    sessionId,
    Math.floor(nowMs / DAY_MS) - HEALTH_DAYS,
  )
  const row = await reader.get<{ chats: number; answered: number }>(
    `select count(*) as chats, coalesce(sum(case when exists (
       select 1 from seen_messages s where s.session_id = ? and s.chat_jid = c.recipient and s.from_me = 0
     ) then 1 else 0 end), 0) as answered
     from (
       select distinct m.recipient from (
         select session_id, recipient, state, created_at from messages where account_id = ? order by id desc limit ${SEARCHED}
       ) m
       where m.session_id = ? and m.created_at > ? and m.state in ('sent', 'delivered', 'read', 'played')
         and (m.recipient like '%@s.whatsapp.net' or m.recipient like '%@lid')
     ) c`,
    sessionId,
    accountId,
    sessionId,
    nowMs - HEALTH_DAYS * DAY_MS,
  )
  return {
    refusals: refusals.map(each => ({ ...each, count: Number(each.count), lastAt: Number(each.lastAt) })),
    chats: Number(row?.chats ?? 0),
    answered: Number(row?.answered ?? 0),
  }
}

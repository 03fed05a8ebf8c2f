import type { DueCommand } from '../../domain/command.ts'
import { isPerson } from '../../domain/jid.ts'
import type { SessionLease } from '../../domain/lease.ts'
import {
  ANSWER_MS,
  type ChatFacts,
  type Hold,
  type HoldReason,
  holdOf,
  newContactsPerDay,
  type Pace,
} from '../../domain/pace.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import { heldLeases } from '../leases/fence.ts'
import type { Reader, Tx } from '../transaction.ts'

export interface Admission {
  lease: SessionLease
  commandId: string
  kind: DueCommand['kind']
  chatJid: string
  isUrgent: boolean
  /** The pause after it. */
  pauseMs: number
  /** The host does not know yet whether a pause of an earlier host goes on. */
  resumes: boolean
}

export type Admitted =
  | { kind: 'admitted' }
  /** The commands of its chat are due later now. */
  | { kind: 'held'; because: HoldReason }
  /** Earlier commands of its chat are due again. */
  | { kind: 'released' }
  /** A pause of an earlier host goes on for this time. */
  | { kind: 'paused'; ms: number }
  | { kind: 'lost' }

interface PacedSession {
  accountId: string
  pace: string | null
  pacedUntil: number | null
  linkedAt: number
}

/**
 * Decides whether a number with a pace may run a command now. If not, the due commands of its chat become due later, all
 * of them, so that their order stays. The row of the session is locked, so that the budget of new contacts is never exceeded.
 */
export async function admitCommand(tx: Tx, input: Admission): Promise<Admitted> {
  const { lease, chatJid } = input
  if (!(await heldLeases(tx, [lease]))(lease)) return { kind: 'lost' }
  const session = await tx.get<PacedSession>(
    `select account_id as "accountId", pace, paced_until as "pacedUntil", created_at as "linkedAt"
     from sessions where id = ?${tx.forUpdate}`,
    lease.id,
  )
  if (session === undefined || session.pace === null) return { kind: 'admitted' }
  const pace = JSON.parse(session.pace) as Pace
  const facts = input.kind === 'send' ? await readFacts(tx, input, pace, session) : undefined
  const hold = facts === undefined ? null : holdOf(pace, facts, tx.nowMs)
  const ahead = await readLastHeld(tx, lease.id, chatJid)
  if (hold === null && ahead !== undefined && input.kind === 'send') {
    await releaseHeld(tx, { sessionId: lease.id, chatJid })
    return { kind: 'released' }
  }
  const wait = hold ?? ahead
  if (wait !== undefined && wait !== null) {
    const { because } = wait
    await holdChat(tx, input, { because, untilMs: Math.max(wait.untilMs, ahead?.untilMs ?? 0) })
    return { kind: 'held', because }
  }
  const pausedMs = (session.pacedUntil ?? 0) - tx.nowMs
  if (input.resumes && pausedMs > 0) return { kind: 'paused', ms: pausedMs }
  if (facts?.isNewContact === true && pace.newPerDay !== null) {
    const row = { session_id: lease.id, chat_jid: chatJid, at: tx.nowMs }
    await tx.insert('first_messages', [row], 'on conflict (session_id, chat_jid) do nothing')
    await forgetHolds(tx, input)
  }
  if (input.pauseMs > 0)
    await tx.run('update sessions set paced_until = ? where id = ?', tx.nowMs + input.pauseMs, lease.id)
  return { kind: 'admitted' }
}

/** The last of the chat's commands that are due later because of the pace. */
async function readLastHeld(tx: Tx, sessionId: string, chatJid: string): Promise<Hold | undefined> {
  return await tx.get<Hold>(
    `select held_because as because, due_at as "untilMs" from commands
     where session_id = ? and queue = ? and held_because is not null and due_at > ? order by due_at desc, id desc limit 1`,
    sessionId,
    chatJid,
    tx.nowMs,
  )
}

/** The commands of a chat that one transaction holds; the next ones are read and held in turn. */
const HELD_AT_ONCE = 1_000

/** Messages are locked before their commands, as in a cancellation. */
async function holdChat(tx: Tx, { lease, chatJid }: Admission, { because, untilMs }: Hold): Promise<void> {
  const due = await tx.all<{ id: string; messageId: string }>(
    `select id, message_id as "messageId" from commands where session_id = ? and queue = ? and due_at <= ?
     order by due_at, id limit ${HELD_AT_ONCE}`,
    lease.id,
    chatJid,
    tx.nowMs,
  )
  const m = tx.ids([...new Set(due.map(({ messageId }) => messageId))].sort())
  await tx.run(`update messages set updated_at = ? where id in (select id from ${m.sql} m)`, tx.nowMs, ...m.params)
  const ids = due.map(({ id }) => id)
  const [r, named] = [tx.ids(ids), tx.among('commands.id', ids)]
  await tx.run(
    `update commands set held_from = coalesce(held_from, due_at), held_because = ?, due_at = ?
     where id in (select id from ${r.sql} r)${named.sql}`,
    because,
    untilMs,
    ...r.params,
    ...named.params,
  )
}

/** The contact is no longer new: no other waits behind it. */
async function forgetHolds(tx: Tx, { lease, chatJid }: Admission): Promise<void> {
  await tx.run(
    `update commands set held_from = null, held_because = null
     where session_id = ? and queue = ? and held_because is not null`,
    lease.id,
    chatJid,
  )
}

/** Makes commands that wait because of the pace due again, of one chat or of all; the host decides about them again. */
export async function releaseHeld(
  tx: Tx,
  { sessionId, chatJid }: { sessionId: string; chatJid?: string },
): Promise<void> {
  const released = await tx.run(
    `update commands set due_at = held_from, held_from = null, held_because = null
     where session_id = ? and held_because is not null${chatJid === undefined ? '' : ' and queue = ?'}`,
    sessionId,
    ...(chatJid === undefined ? [] : [chatJid]),
  )
  if (released > 0) tx.notify({ about: 'commands', sessionId })
}

async function readFacts(tx: Tx, input: Admission, pace: Pace, session: PacedSession): Promise<ChatFacts> {
  const { lease, chatJid } = input
  const hasWrittenLately = await hasWrittenWithin(tx, { sessionId: lease.id, chatJid, ms: ANSWER_MS })
  const facts = { hasWrittenLately, linkedAtMs: session.linkedAt }
  if (pace.newPerDay === null || !isPerson(chatJid) || (await hasConversation(tx, input, session)))
    return { ...facts, isNewContact: false, newContactTimesMs: [], newContactsAhead: 0 }
  const budget = newContactsPerDay(pace, session.linkedAt, tx.nowMs)
  return {
    ...facts,
    isNewContact: true,
    newContactTimesMs: await readNewContactTimes(tx, lease.id, budget),
    newContactsAhead: await countNewContactsAhead(tx, input, budget),
  }
}

/** A message is kept for 30 days, and a poll or an event for 90, from the time at which it was received. */
async function hasWrittenWithin(
  tx: Tx,
  { sessionId, chatJid, ms }: { sessionId: string; chatJid: string; ms: number },
): Promise<boolean> {
  const since = tx.nowMs - ms
  const row = await tx.get(
    `select 1 as written from seen_messages where session_id = ? and chat_jid = ? and from_me = 0
       and (expires_at between ? and ? or expires_at > ?) limit 1`,
    sessionId,
    chatJid,
    since + KEPT_MS.seenMessages,
    tx.nowMs + KEPT_MS.seenMessages,
    since + KEPT_MS.answered,
  )
  return row !== undefined
}

/** The newest messages of the account that are searched for one to the contact. */
const SEARCHED = 5_000

/** Whether either side has written before, as far as the gateway remembers. */
async function hasConversation(tx: Tx, { lease, chatJid }: Admission, { accountId }: PacedSession): Promise<boolean> {
  const known = await tx.get(
    `select 1 as known from first_messages where session_id = ? and chat_jid = ?
     union all select 1 from seen_messages where session_id = ? and chat_jid = ? limit 1`,
    lease.id,
    chatJid,
    lease.id,
    chatJid,
  )
  if (known !== undefined) return true
  const sent = await tx.get(
    `select 1 as sent from (
       select session_id, recipient, state from messages where account_id = ? order by id desc limit ${SEARCHED}) m
     where m.session_id = ? and m.recipient = ? and m.state in ('sent', 'delivered', 'read', 'played') limit 1`,
    accountId,
    lease.id,
    chatJid,
  )
  return sent !== undefined
}

async function readNewContactTimes(tx: Tx, sessionId: string, atMost: number): Promise<number[]> {
  const rows = await tx.all<{ at: number }>(
    'select at from first_messages where session_id = ? and at > ? order by at desc limit ?',
    sessionId,
    tx.nowMs - ANSWER_MS,
    atMost,
  )
  return rows.map(({ at }) => at).reverse()
}

/** Other new contacts whose messages have waited for longer; an urgent one does not wait for them. */
async function countNewContactsAhead(
  tx: Tx,
  { lease, commandId, chatJid, isUrgent }: Admission,
  atMost: number,
): Promise<number> {
  if (isUrgent) return 0
  const own = await tx.get<{ heldFrom: number | null }>(
    'select held_from as "heldFrom" from commands where id = ?',
    commandId,
  )
  const row = await tx.get<{ n: number }>(
    `select count(*) as n from (
       select distinct queue from commands
       where session_id = ? and held_because = 'new_contacts' and held_because is not null and queue <> ? and held_from < ?
       limit ?) ahead`,
    lease.id,
    chatJid,
    own?.heldFrom ?? tx.nowMs,
    atMost,
  )
  return row!.n
}

export interface HeldMessage extends Hold {
  id: string
}

/** Which of these messages wait because of their number's pace. */
export async function readHolds(reader: Reader, messageIds: string[]): Promise<HeldMessage[]> {
  if (messageIds.length === 0) return []
  const r = reader.ids(messageIds)
  const named = reader.among('c.id', messageIds)
  const rows = await reader.all<{
    id: string
    attempt: number
    because: HoldReason | null
    dueAt: number
    pacedUntil: number | null
    now: number
  }>(
    `select c.id, c.held_because as because, c.attempt, c.due_at as "dueAt", s.paced_until as "pacedUntil", ${reader.nowSql} as now
     from ${r.sql} r join commands c on c.id = r.id join sessions s on s.id = c.session_id
     where s.pace is not null${named.sql}`,
    ...r.params,
    ...named.params,
  )
  return rows.flatMap(({ id, attempt, because, dueAt, pacedUntil, now }): HeldMessage[] => {
    if (because !== null && dueAt > now) return [{ id, because, untilMs: dueAt }]
    if (attempt === 0 && dueAt <= now && (pacedUntil ?? 0) > now) return [{ id, because: 'pace', untilMs: pacedUntil! }]
    return []
  })
}

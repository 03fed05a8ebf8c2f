import type { SessionLease } from '../../domain/lease.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import type { Reader, Tx } from '../transaction.ts'
import { insertEvents, type NewEvent } from '../events/events.ts'
import { type Fenced, heldLeases } from '../leases/fence.ts'
import { boundPoison } from './poison.ts'
import { addUsage } from '../usage/usage.ts'

export interface WaitingItem {
  key: string
  seq: number
  kind: string
  chat: string
  receivedAt: number
  sealed: Uint8Array
  deaths: number
}

/** What was received and not told yet, in order of arrival. */
export async function readInbox(reader: Reader, input: { sessionId: string; limit: number }): Promise<WaitingItem[]> {
  return await reader.all<WaitingItem>(
    `select key, seq, kind, chat, received_at as "receivedAt", sealed, deaths from inbox
     where session_id = ? and done_at is null order by seq limit ?`,
    input.sessionId,
    input.limit,
  )
}

/** The number of the last item that waits: those that come get higher ones. */
export async function readLastSeq(reader: Reader, sessionId: string): Promise<number> {
  const row = await reader.get<{ seq: number | null }>(
    'select max(seq) as seq from inbox where session_id = ? and done_at is null',
    sessionId,
  )
  return row?.seq ?? 0
}

export async function readKnownInboxKeys(
  reader: Reader,
  input: { sessionId: string; keys: string[] },
): Promise<string[]> {
  const r = reader.values(
    { key: 'text' },
    input.keys.map(key => ({ key })),
  )
  // One look for each: a join may read all that the number has.
  const rows = await reader.all<{ key: string | null }>(
    `select (select i.key from inbox i where i.session_id = ? and i.key = r.key) as key from ${r.sql} r`,
    input.sessionId,
    ...r.params,
  )
  return rows.flatMap(({ key }) => (key === null ? [] : [key]))
}

/** Counts the death of the host before an item is tried and takes it back after it, so that one that kills its host is known by it. */
export async function countInboxDeath(
  tx: Tx,
  input: { lease: SessionLease; key: string; by: 1 | -1 },
): Promise<Fenced> {
  if (!(await heldLeases(tx, [input.lease]))(input.lease)) return 'lost'
  await tx.run(
    'update inbox set deaths = deaths + ? where session_id = ? and key = ?',
    input.by,
    input.lease.id,
    input.key,
  )
  return 'done'
}

/** What became of an item: its events, and what replies and votes need of it later. */
export interface Forwarded {
  lease: SessionLease
  accountId: string
  key: string
  events: NewEvent[]
  /** Incoming messages among the events, for the account's usage. */
  received: number
  remember: Array<{
    messageId: string
    chatJid: string
    senderJid: string
    fromMe: number
    secret: Uint8Array | null
    isPoll: boolean
  }>
  /** Why there is nothing to tell, or why it was given up; `null` where there are events. */
  reason: string | null
  /** Keeps the sealed body, for somebody to look into. */
  keepBody: boolean
}

/** Turns inbox items into events with their deliveries: the item is done in the same commit, so it is told once. */
export async function forwardItems(tx: Tx, items: Forwarded[]): Promise<Fenced[]> {
  const holds = await heldLeases(
    tx,
    items.map(item => item.lease),
  )
  const held = items.filter(item => holds(item.lease))
  const fresh = await settleItems(tx, held)
  await insertEvents(
    tx,
    fresh.flatMap(item => item.events),
  )
  await rememberSeen(tx, fresh)
  await countReceived(tx, fresh)
  return items.map(item => (holds(item.lease) ? 'done' : 'lost'))
}

const nameOf = (sessionId: string, key: string): string => `${sessionId}\n${key}`

/** Marks items done and answers those that were not yet. They are found by their keys, whatever else waits. */
export async function settleItems<
  T extends { lease: SessionLease; key: string; reason: string | null; keepBody: boolean },
>(tx: Tx, items: T[]): Promise<T[]> {
  if (items.length === 0) return []
  const rows = items.map(item => ({
    session_id: item.lease.id,
    key: item.key,
    reason: item.reason,
    keep: item.keepBody ? 1 : 0,
  }))
  const r = tx.values({ session_id: 'text', key: 'text', reason: 'text', keep: 'bigint' }, rows)
  const settled = await tx.all<{ session_id: string; key: string }>(
    `update inbox set done_at = ?, reason = r.reason, sealed = case when r.keep = 1 then inbox.sealed end from ${r.sql} r
     where inbox.session_id = r.session_id and inbox.key = r.key and coalesce(inbox.done_at, 0) = 0
     returning inbox.session_id, inbox.key`,
    tx.nowMs,
    ...r.params,
  )
  await boundPoison(
    tx,
    rows.filter(row => row.keep === 1).map(row => row.session_id),
  )
  const names = new Set(settled.map(row => nameOf(row.session_id, row.key)))
  return items.filter(item => names.has(nameOf(item.lease.id, item.key)))
}

async function rememberSeen(tx: Tx, items: Forwarded[]): Promise<void> {
  const rows = items.flatMap(({ lease, remember }) =>
    remember.map(seen => ({
      session_id: lease.id,
      message_id: seen.messageId,
      chat_jid: seen.chatJid,
      sender_jid: seen.senderJid,
      from_me: seen.fromMe,
      secret: seen.secret,
      expires_at: tx.nowMs + (seen.isPoll ? KEPT_MS.polls : KEPT_MS.seenMessages),
    })),
  )
  await tx.insert('seen_messages', rows, 'on conflict (session_id, message_id, chat_jid) do nothing')
}

async function countReceived(tx: Tx, items: Forwarded[]): Promise<void> {
  const told = items.filter(item => item.events.length > 0)
  if (told.length === 0) return
  const sessions = [...new Set(told.map(item => item.lease.id))].sort()
  const r = tx.ids(sessions)
  await tx.run(`update sessions set last_event_at = ? where id in (select id from ${r.sql} r)`, tx.nowMs, ...r.params)
  const perAccount = new Map<string, number>()
  for (const { accountId, received } of told) perAccount.set(accountId, (perAccount.get(accountId) ?? 0) + received)
  const deltas = [...perAccount].filter(([, n]) => n > 0)
  await addUsage(
    tx,
    deltas.map(([accountId, n]) => ({ accountId, metric: 'received', n })),
  )
}

interface SeenRow {
  messageId: string
  chatJid: string
  senderJid: string
  fromMe: number
  secret: Uint8Array | null
}

/** What is known of a message, received or sent; `chats` are the names of the chat that it has to be of. */
export async function readSeenMessage(
  reader: Reader,
  input: { sessionId: string; messageId: string; chats: string[] | null },
): Promise<SeenRow | undefined> {
  const { sessionId, messageId, chats } = input
  const r = reader.values(
    { jid: 'text' },
    (chats ?? []).map(jid => ({ jid })),
  )
  const inChats = (column: string): string => (chats === null ? '' : `and ${column} in (select jid from ${r.sql} r)`)
  const params = [sessionId, messageId, ...(chats === null ? [] : r.params)]
  const seen = await reader.get<SeenRow>(
    `select message_id as "messageId", chat_jid as "chatJid", sender_jid as "senderJid", from_me as "fromMe",
       secret from seen_messages where session_id = ? and message_id = ? ${inChats('chat_jid')}
     order by case when from_me = 1 then 0 else 1 end limit 1`,
    ...params,
  )
  if (seen?.fromMe === 1) return seen
  // Whoever is in the chat can use the id of a message of ours once more: it stays ours.
  const sent = await reader.get<{ recipient: string }>(
    `select recipient from messages where session_id = ? and platform_id = ? ${inChats('recipient')} limit 1`,
    ...params,
  )
  if (sent === undefined) return seen
  return { messageId, chatJid: sent.recipient, senderJid: sessionId, fromMe: 1, secret: null }
}

/** Whether the contact has written to the number lately: then a message to it is no cold one. */
export async function hasWritten(reader: Reader, input: { sessionId: string; chatJid: string }): Promise<boolean> {
  const row = await reader.get(
    'select 1 as seen from seen_messages where session_id = ? and chat_jid = ? and from_me = 0 limit 1',
    input.sessionId,
    input.chatJid,
  )
  return row !== undefined
}

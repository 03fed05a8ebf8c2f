import type { ChatChange } from '../../domain/chat.ts'
import type { HistoryProgress } from '../../domain/history.ts'
import type { SessionLease } from '../../domain/lease.ts'
import type { Reader, Tx } from '../transaction.ts'
import { insertEvents, type NewEvent } from '../events/events.ts'
import { type Fenced, heldLeases } from '../leases/fence.ts'
import { IS_SENT, sentParams } from '../messages/sent-messages.ts'
import { releaseHeld } from '../commands/holds.ts'
import { boundPoison } from './poison.ts'
import { progressHistory } from './requested-history.ts'
import { rememberSeen, type SealedSeen } from './seen-messages.ts'
import { writeChats, writeLabels } from '../chats/write-chats.ts'
import { touchSessions } from '../sessions/last-event.ts'
import { addUsage } from '../usage/usage.ts'

export interface WaitingItem {
  key: string
  seq: number
  kind: string
  chat: string
  receivedAt: number
  sealed: Uint8Array
  /** The lease owners that have begun it, have not finished it and send no heartbeat any more. */
  diedWithIt: string[]
}

type WaitingRow = Omit<WaitingItem, 'diedWithIt'> & { begunBy: string | null }

/** Items that are not published yet, in order of arrival. */
export async function readInbox(reader: Reader, input: { sessionId: string; limit: number }): Promise<WaitingItem[]> {
  const rows = await reader.all<WaitingRow>(
    `select key, seq, kind, chat, received_at as "receivedAt", sealed, begun_by as "begunBy" from inbox
     where session_id = ? and done_at is null order by seq limit ?`,
    input.sessionId,
    input.limit,
  )
  const begun = rows.map(({ begunBy, ...row }) => ({ ...row, owners: JSON.parse(begunBy ?? '[]') as string[] }))
  const living = await livingOwners(reader, [...new Set(begun.flatMap(({ owners }) => owners))])
  return begun.map(({ owners, ...row }) => ({ ...row, diedWithIt: owners.filter(owner => !living.has(owner)) }))
}

async function livingOwners(reader: Reader, owners: string[]): Promise<Set<string>> {
  if (owners.length === 0) return new Set()
  const r = reader.ids(owners)
  const rows = await reader.all<{ id: string }>(
    `select h.id from holders h join ${r.sql} r on r.id = h.id`,
    ...r.params,
  )
  return new Set(rows.map(({ id }) => id))
}

/** The place of the last waiting item: later items get higher ones. */
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
  // A subquery for each key: the planner may read every item of the number for a join.
  const rows = await reader.all<{ key: string | null }>(
    `select (select i.key from inbox i where i.session_id = ? and i.key = r.key) as key from ${r.sql} r`,
    input.sessionId,
    ...r.params,
  )
  return rows.flatMap(({ key }) => (key === null ? [] : [key]))
}

/**
 * Records which lease owners have begun an item and not finished it: its host before an attempt, and without itself after
 * one. It is a whole value, so that repeating the write after an unknown outcome changes nothing.
 */
export async function recordBegunBy(
  tx: Tx,
  input: { lease: SessionLease; key: string; owners: readonly string[] },
): Promise<Fenced> {
  if (!(await heldLeases(tx, [input.lease]))(input.lease)) return 'lost'
  await tx.run(
    'update inbox set begun_by = ? where session_id = ? and key = ?',
    input.owners.length === 0 ? null : JSON.stringify(input.owners),
    input.lease.id,
    input.key,
  )
  return 'done'
}

/** The result of an item: its events, and the facts that replies and votes need of it later. */
export interface FinishedItem {
  lease: SessionLease
  accountId: string
  key: string
  events: NewEvent[]
  /** Incoming messages among the events, for the account's usage. */
  received: number
  remember: SealedSeen[]
  /** What it says of chats. */
  chats?: readonly ChatChange[]
  /** Labels with their sealed names; `null` removes one. */
  labels?: ReadonlyArray<{ id: string; sealed: Uint8Array | null }>
  /** With this item the gateway has all that the phone shares of the chats. */
  areChatsSynced?: boolean
  /** What it is of a request for older messages. */
  history?: HistoryProgress
  /** Why there are no events, or why the item was abandoned; `null` if there are events. */
  reason: string | null
  /** Keeps the sealed body for the operator. */
  keepBody: boolean
  /** The number has a pace: messages to people who write need not wait any longer. */
  releasesHeld?: boolean
}

/** Publishes the events of inbox items with their deliveries, and marks the items done in the same transaction. */
export async function publishItems(tx: Tx, items: FinishedItem[]): Promise<Fenced[]> {
  const holds = await heldLeases(
    tx,
    items.map(item => item.lease),
  )
  const held = items.filter(item => holds(item.lease))
  const fresh = await finishItems(tx, held)
  await insertEvents(
    tx,
    fresh.flatMap(item => item.events),
  )
  await rememberSeen(
    tx,
    fresh.map(({ lease, remember }) => ({ sessionId: lease.id, seen: remember })),
  )
  await takeOverChats(tx, fresh)
  for (const { history } of fresh) if (history) await progressHistory(tx, history)
  await countReceived(tx, fresh)
  await releaseAnswers(tx, fresh)
  return items.map(item => (holds(item.lease) ? 'done' : 'lost'))
}

const nameOf = (sessionId: string, key: string): string => `${sessionId}\n${key}`

/** Marks items done and returns those that were not done before. */
export async function finishItems<
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
  const finished = await tx.all<{ session_id: string; key: string }>(
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
  const names = new Set(finished.map(row => nameOf(row.session_id, row.key)))
  return items.filter(item => names.has(nameOf(item.lease.id, item.key)))
}

async function takeOverChats(tx: Tx, items: FinishedItem[]): Promise<void> {
  const numbers = items.flatMap(({ lease, chats }) => (chats?.length ? [{ sessionId: lease.id, chats }] : []))
  if (numbers.length > 0) await writeChats(tx, numbers)
  for (const { lease, labels } of items) if (labels?.length) await writeLabels(tx, lease.id, labels)
  for (const { lease } of items.filter(item => item.areChatsSynced))
    await tx.run('update sessions set chats_synced_at = coalesce(chats_synced_at, ?) where id = ?', tx.nowMs, lease.id)
}

async function releaseAnswers(tx: Tx, items: FinishedItem[]): Promise<void> {
  for (const { lease, remember, releasesHeld } of items) {
    if (releasesHeld !== true) continue
    for (const { chatJid, fromMe } of remember)
      if (fromMe === 0) await releaseHeld(tx, { sessionId: lease.id, chatJid })
  }
}

async function countReceived(tx: Tx, items: FinishedItem[]): Promise<void> {
  const published = items.filter(item => item.events.length > 0)
  if (published.length === 0) return
  await touchSessions(
    tx,
    published.map(item => item.lease.id),
  )
  const perAccount = new Map<string, number>()
  for (const { accountId, received } of published)
    perAccount.set(accountId, (perAccount.get(accountId) ?? 0) + received)
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

/**
 * Finds a received or sent message by its id; with `chats` only if it is in one of these chats. `beginning`: of the id of
 * the sent message that may have it.
 */
export async function readSeenMessage(
  reader: Reader,
  input: { sessionId: string; messageId: string; beginning: string | null; chats: string[] | null },
): Promise<SeenRow | undefined> {
  const { sessionId, messageId, beginning, chats } = input
  const r = reader.values(
    { jid: 'text' },
    (chats ?? []).map(jid => ({ jid })),
  )
  const inChats = (column: string): string => (chats === null ? '' : `and ${column} in (select jid from ${r.sql} r)`)
  const chatParams = chats === null ? [] : r.params
  const seen = await reader.get<SeenRow>(
    `select message_id as "messageId", chat_jid as "chatJid", sender_jid as "senderJid", from_me as "fromMe",
       secret from seen_messages where session_id = ? and message_id = ? ${inChats('chat_jid')}
     order by case when from_me = 1 then 0 else 1 end limit 1`,
    sessionId,
    messageId,
    ...chatParams,
  )
  if (seen?.fromMe === 1 || beginning === null) return seen
  // A member of the chat can reuse the id of a message that this number sent: it stays the number's own.
  const sent = await reader.get<{ recipient: string }>(
    `select recipient from messages where ${IS_SENT} ${inChats('recipient')} limit 1`,
    ...sentParams(sessionId, { platformId: messageId, beginning }),
    ...chatParams,
  )
  if (sent === undefined) return seen
  return { messageId, chatJid: sent.recipient, senderJid: sessionId, fromMe: 1, secret: null }
}

/** Whether the contact has written to the number lately. A message to it is not a cold one then. */
export async function hasWritten(reader: Reader, input: { sessionId: string; chatJid: string }): Promise<boolean> {
  const row = await reader.get(
    // In the order of an index: otherwise PostgreSQL may read all messages of the number.
    `select 1 as seen from seen_messages where session_id = ? and chat_jid = ? and from_me = 0
     order by expires_at limit 1`,
    input.sessionId,
    input.chatJid,
  )
  return row !== undefined
}

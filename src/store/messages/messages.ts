import { BOUNDS } from '../../domain/bounds.ts'
import {
  type Content,
  type FailureReason,
  FOLLOW_UP_STATES,
  type FollowUpState,
  type Message,
  MESSAGE_STATES,
  type MessageState,
} from '../../domain/message.ts'
import type { SentId } from '../../domain/platform-ids.ts'
import type { Reader, Tx, Value } from '../transaction.ts'
import {
  countWaiting,
  takeForChange,
  isLimited,
  lockMeters,
  type MessageLimits,
  type MeterRejection,
  saveMeters,
} from './message-meters.ts'
import { type Page, type PageRequest, toPage } from '../page.ts'
import { keepTraces } from '../traces/traces.ts'
import { IS_SENT, sentParams } from './sent-messages.ts'

interface MessageRow {
  id: string
  account_id: string
  session_id: string
  request_id: string
  recipient: string
  type: Content['type']
  state: MessageState
  platform_id: string
  server_id: number | null
  reason: FailureReason | null
  detail: string | null
  send_at: number | null
  created_at: number
  updated_at: number
}

const COLUMNS = `id, account_id, session_id, request_id, recipient, type, state, platform_id, server_id, reason, detail,
  send_at, created_at, updated_at`

export async function getMessage(reader: Reader, id: string): Promise<Message | undefined> {
  const row = await reader.get<MessageRow>(`select ${COLUMNS} from messages where id = ?`, id)
  return row && toMessage(row)
}

/** The message with this platform id. */
export async function findMessage(
  reader: Reader,
  { sessionId, ...sent }: { sessionId: string } & SentId,
): Promise<Message | undefined> {
  const row = await reader.get<MessageRow>(
    `select ${COLUMNS} from messages where ${IS_SENT} limit 1`,
    ...sentParams(sessionId, sent),
  )
  return row && toMessage(row)
}

export interface MessageFilter extends PageRequest {
  accountId: string
  sessionIds: string[] | null
  sessionId?: string
  state?: MessageState
}

/** How many messages are read for one page: if few of them match, the page is short and the next one continues. */
const SCANNED = 20_000

/** States that the column `rare` repeats, for its index. */
const RARE: readonly MessageState[] = ['cancelled', 'failed', 'played', 'scheduled']

export async function listMessages(reader: Reader, filter: MessageFilter): Promise<Page<Message>> {
  const { sql, params, filtered } = conditionsOf(reader, filter)
  const end = filtered ? await endOfScan(reader, filter) : undefined
  const rows = await reader.all<MessageRow>(
    `select ${COLUMNS} from messages where ${sql}${end === undefined ? '' : ' and id >= ?'} order by id desc limit ?`,
    ...params,
    ...(end === undefined ? [] : [end]),
    filter.limit + 1,
  )
  const page = toPage(rows, filter.limit, row => row.id, toMessage)
  return { ...page, nextCursor: page.nextCursor ?? end ?? null }
}

/** The last message that a page reads, found with an index-only scan; `undefined` if all are read. */
async function endOfScan(reader: Reader, { accountId, cursor }: MessageFilter): Promise<string | undefined> {
  const row = await reader.get<{ id: string }>(
    `select id from messages where account_id = ?${cursor === null ? '' : ' and id < ?'}
     order by id desc limit 1 offset ${SCANNED - 1}`,
    accountId,
    ...(cursor === null ? [] : [cursor]),
  )
  return row?.id
}

/** `filtered`: by a condition without an index. */
function conditionsOf(reader: Reader, filter: MessageFilter): { sql: string; params: Value[]; filtered: boolean } {
  const conditions = ['account_id = ?']
  const params: Value[] = [filter.accountId]
  const where = (condition: string, ...values: Value[]) => {
    conditions.push(condition)
    params.push(...values)
  }
  const rare = filter.state !== undefined && RARE.includes(filter.state)
  if (filter.cursor !== null) where('id < ?', filter.cursor)
  if (filter.sessionId !== undefined) where('session_id = ?', filter.sessionId)
  if (filter.state !== undefined) where(`${rare ? 'rare' : 'state'} = ?`, filter.state)
  if (filter.sessionIds !== null) {
    const allowed = reader.ids(filter.sessionIds)
    where(`(session_id in (select id from ${allowed.sql} a)) is true`, ...allowed.params)
  }
  const { sessionId, sessionIds, state } = filter
  const filtered = sessionId !== undefined || sessionIds !== null || (state !== undefined && !rare)
  return { sql: conditions.join(' and '), params, filtered }
}

/** How many of the newest messages are watched for changes. */
const WATCHED = 500

/** The account's newest messages that changed at this time or later, oldest first. */
export async function listChangedMessages(
  reader: Reader,
  input: { accountId: string; sinceMs: number },
): Promise<Message[]> {
  const rows = await reader.all<MessageRow>(
    `select * from (select ${COLUMNS} from messages where account_id = ? order by id desc limit ${WATCHED}) m
     where updated_at >= ? order by updated_at, id`,
    input.accountId,
    input.sinceMs,
  )
  return rows.map(toMessage)
}

export interface StateChange {
  state: MessageState | FollowUpState
  recipient: string
  at: number
  detail: string | null
}

/** Listed one by one, so that the index skips any number of receipts. */
const OWN_STATES = [...MESSAGE_STATES, ...FOLLOW_UP_STATES].map(state => `'${state}'`).join(', ')

/** So many states are sorted by their times, more than are shown: a group has fewer, a status post may have more. */
const STATES_SORTED = 8_192

/** The states of a message with its first receipts; the first entry is its acceptance. */
export async function readMessageStates(reader: Reader, messageId: string): Promise<StateChange[]> {
  const states = 'select state, recipient, at, detail from message_states where message_id = ?'
  // The own states are left out of the sorted ones, not of those that are read: PostgreSQL takes receipts for rare, and
  // would sort all of them.
  return await reader.all<StateChange>(
    `select * from (${states} and state in (${OWN_STATES}) and recipient = '' order by at, state, recipient) own
     union all select * from (
       select * from (${states} order by state, recipient limit ${STATES_SORTED}) r
       where recipient <> '' order by at, state, recipient limit ${BOUNDS.receiptsShown}) receipts`,
    messageId,
    messageId,
  )
}

export interface Viewer {
  jid: string
  at: number
}

/** The people who have read a message, in the order of their JIDs, after the cursor. */
export async function listViewers(
  reader: Reader,
  { messageId, limit, cursor }: PageRequest & { messageId: string },
): Promise<Page<Viewer>> {
  const rows = await reader.all<Viewer>(
    `select recipient jid, at from message_states
     where message_id = ? and state = 'read' and recipient > ? order by recipient limit ?`,
    messageId,
    cursor ?? '',
    limit + 1,
  )
  return toPage(
    rows,
    limit,
    ({ jid }) => jid,
    row => row,
  )
}

export async function readMessageContent(reader: Reader, messageId: string): Promise<Uint8Array | undefined> {
  const row = await reader.get<{ sealed: Uint8Array }>(
    `select content as sealed from commands where id = ? and content is not null
     union all select sealed from message_contents where message_id = ? limit 1`,
    messageId,
    messageId,
  )
  return row?.sealed
}

/** Longer contents are not decrypted for a list. */
const PREVIEWED_BYTES = 16_384

/** The sealed contents of messages that sandbox numbers sent. */
export async function readSandboxContents(
  reader: Reader,
  messageIds: string[],
): Promise<Array<{ id: string; sealed: Uint8Array }>> {
  if (messageIds.length === 0) return []
  const r = reader.ids(messageIds)
  return await reader.all(
    `select * from (
       select m.id, coalesce(c.content, k.sealed) as sealed from ${r.sql} r
       join messages m on m.id = r.id
       join sessions s on s.id = m.session_id and s.account_id = m.account_id and s.platform = 'sandbox'
       left join commands c on c.id = m.id
       left join message_contents k on k.message_id = m.id) p
     where p.sealed is not null and length(p.sealed) <= ${PREVIEWED_BYTES}`,
    ...r.params,
  )
}

export type Cancelled = 'cancelled' | 'not_waiting' | 'unknown'

/** Cancels a message that no worker has begun to send. */
export async function cancelMessage(tx: Tx, messageId: string): Promise<Cancelled> {
  const row = await tx.get<MessageRow>(`select ${COLUMNS} from messages where id = ?${tx.forUpdate}`, messageId)
  if (row === undefined) return 'unknown'
  if (row.state !== 'scheduled' && row.state !== 'queued') return 'not_waiting'
  const removed = await tx.run('delete from commands where id = ? and attempt = 0', messageId)
  if (removed === 0) return 'not_waiting'
  await tx.run("update messages set state = 'cancelled', updated_at = ? where id = ?", tx.nowMs, messageId)
  await tx.insert('message_states', [{ message_id: messageId, state: 'cancelled', recipient: '', at: tx.nowMs }])
  tx.notify({ about: 'commands', sessionId: row.session_id })
  return 'cancelled'
}

export interface NewFollowUp {
  commandId: string
  /** The account of the message, whose limits count. */
  accountId: string
  limits: MessageLimits
  kind: 'edit' | 'revoke'
  messageId: string
  sealed: Uint8Array
  /** The trace that it is a part of, if spans are collected. */
  traceparent?: string | null
}

export type QueuedFollowUp =
  | { kind: 'queued' }
  | { kind: 'unknown' }
  /** It was never sent. */
  | { kind: 'over'; state: 'failed' | 'cancelled' }
  /** The number no longer belongs to the account. */
  | { kind: 'foreign' }
  /** The limit of such changes of a message is reached. */
  | { kind: 'too_often'; most: number }
  | ({ kind: 'limited' } & MeterRejection)

const MOST = { edit: BOUNDS.editsOfMessage, revoke: BOUNDS.revokesOfMessage }

/**
 * Queues an edit or a revoke behind all other commands for the same recipient. It uses the same rate limit and the same
 * limit of waiting messages as a message, but no monthly quota.
 */
export async function enqueueFollowUp(tx: Tx, input: NewFollowUp): Promise<QueuedFollowUp> {
  const { accountId, limits, kind } = input
  const meters = await lockMeters(tx, isLimited(limits) ? [accountId] : [])
  const row = await tx.get<MessageRow & { edits: number; revokes: number }>(
    `select ${COLUMNS}, edits, revokes from messages where id = ?${tx.forUpdate}`,
    input.messageId,
  )
  if (row === undefined) return { kind: 'unknown' }
  if (row.state === 'failed' || row.state === 'cancelled') return { kind: 'over', state: row.state }
  const own = 'select 1 as own from sessions where id = ? and account_id = ?'
  if ((await tx.get(own, row.session_id, row.account_id)) === undefined) return { kind: 'foreign' }
  if (row[`${kind}s`] >= MOST[kind]) return { kind: 'too_often', most: MOST[kind] }
  await countWaiting(tx, meters, { accountId, limits, more: 1 })
  const rejection = takeForChange(meters, accountId, limits, tx.nowMs)
  if (rejection !== undefined) return { kind: 'limited', ...rejection }
  await saveMeters(tx, meters)
  await tx.run(`update messages set ${kind}s = ${kind}s + 1 where id = ?`, row.id)
  await tx.insert('commands', [
    {
      id: input.commandId,
      session_id: row.session_id,
      queue: row.recipient,
      kind: input.kind,
      message_id: row.id,
      sealed: input.sealed,
      attempt: 0,
      due_at: Math.max(tx.nowMs, row.send_at ?? 0),
      created_at: tx.nowMs,
    },
  ])
  const { commandId: id, traceparent } = input
  if (traceparent) await keepTraces(tx, [{ id, traceparent, fromMs: row.send_at }])
  tx.notify({ about: 'commands', sessionId: row.session_id })
  return { kind: 'queued' }
}

function toMessage(row: MessageRow): Message {
  return {
    id: row.id,
    accountId: row.account_id,
    sessionId: row.session_id,
    requestId: row.request_id,
    to: row.recipient,
    type: row.type,
    state: row.state,
    platformId: row.platform_id,
    serverId: row.server_id,
    reason: row.reason,
    detail: row.detail,
    sendAt: row.send_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

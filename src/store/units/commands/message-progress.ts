import { BOUNDS } from '../../../domain/bounds.ts'
import type { SessionLease } from '../../../domain/lease.ts'
import { type FailureReason, type MessageState, mayFollow } from '../../../domain/message.ts'
import type { Reader, Tx } from '../../tx.ts'
import { insertEvents, type NewEvent } from '../delivery/events.ts'
import { heldLeases } from '../leases/fence.ts'
import { settleItems } from '../inbox/inbox.ts'
import { addUsage, type Metric } from '../accounts/usage.ts'

/** A step of a message's life with the event that tells of it, told only when it is the first of its kind. */
export interface ProgressStep {
  messageId: string
  accountId: string
  state: Extract<MessageState, 'sent' | 'failed' | 'delivered' | 'read' | 'played'>
  /** Who received it; empty for `sent` and `failed`. */
  recipient: string
  atMs: number
  event: NewEvent
  serverId: number | null
  reason: FailureReason | null
  detail: string | null
}

export interface Progress {
  /** `null` only for messages of a device that nobody can host any more. */
  lease: SessionLease | null
  steps: ProgressStep[]
  /** The command that this ends. */
  commandId: string | null
  /** The inbox item that told of it. */
  inboxKey: string | null
}

/** How many steps were news, and how many came after the message had failed. */
export type Progressed = { kind: 'done'; told: number; late: number } | { kind: 'lost' }

interface Known {
  state: MessageState
  /** How many receipts of it were told. */
  receipts: number
  changed: boolean
  serverId: number | null
  reason: FailureReason | null
  detail: string | null
}

const CONTENT_KEPT_MS = 7 * 86_400_000

/**
 * Moves messages forward: state, history of states, event with deliveries, usage, the end of the command and of the
 * inbox item, in one commit. What is known already, or comes after the end, changes nothing and tells nothing.
 */
export async function recordProgress(tx: Tx, items: Progress[]): Promise<Progressed[]> {
  const holds = await heldLeases(
    tx,
    items.flatMap(item => item.lease ?? []),
  )
  const isHeld = (item: Progress): boolean => item.lease === null || holds(item.lease)
  const held = items.filter(isHeld)
  const steps = held.flatMap(item => item.steps)
  const known = await lockMessages(tx, steps)
  const allowed = allowedOf(steps, known)
  const news = await keepNews(
    tx,
    steps.filter(step => allowed.has(step)),
    known,
  )
  for (const step of news) advance(known.get(step.messageId)!, step)
  await insertEvents(
    tx,
    news.map(step => step.event),
  )
  await saveMessages(tx, known)
  await settleContents(tx, news)
  await endOrigins(tx, held)
  await countUsage(tx, news)
  await touchSessions(tx, news)
  const told = new Set(news)
  return items.map(item =>
    isHeld(item)
      ? {
          kind: 'done',
          told: item.steps.filter(step => told.has(step)).length,
          late: item.steps.filter(step => !allowed.has(step)).length,
        }
      : { kind: 'lost' },
  )
}

async function lockMessages(tx: Tx, steps: ProgressStep[]): Promise<Map<string, Known>> {
  const ids = [...new Set(steps.map(step => step.messageId))].sort()
  if (ids.length === 0) return new Map()
  const r = tx.values(
    { id: 'text' },
    ids.map(id => ({ id })),
  )
  const rows = await tx.all<{ id: string; state: MessageState; receipts: number }>(
    `select id, state, receipts from messages where id in (select id from ${r.sql} r) order by id${tx.forUpdate}`,
    ...r.params,
  )
  return new Map(
    rows.map(({ id, ...row }) => [id, { ...row, changed: false, serverId: null, reason: null, detail: null }]),
  )
}

/** Steps that the message's life allows, each judged on what the ones before it leave: nothing follows an end. */
function allowedOf(steps: ProgressStep[], known: Map<string, Known>): Set<ProgressStep> {
  const states = new Map([...known].map(([id, { state }]) => [id, state]))
  const allowed = new Set<ProgressStep>()
  for (const step of steps) {
    const state = states.get(step.messageId)
    if (state === undefined || state === 'failed' || state === 'cancelled') continue
    if (step.state === 'failed' && state !== 'queued' && state !== 'scheduled') continue
    allowed.add(step)
    if (mayFollow(state, step.state)) states.set(step.messageId, step.state)
  }
  return allowed
}

const isReceipt = ({ recipient }: ProgressStep): boolean => recipient !== ''

function advance(known: Known, step: ProgressStep): void {
  if (isReceipt(step)) known.receipts++
  known.serverId = step.serverId ?? known.serverId
  known.changed = true
  if (!mayFollow(known.state, step.state)) return
  known.state = step.state
  known.reason = step.reason
  known.detail = step.detail
}

/** The first of each (message, state, recipient) is news; answers the news in order. */
async function keepNews(tx: Tx, steps: ProgressStep[], known: Map<string, Known>): Promise<ProgressStep[]> {
  const byName = new Map<string, ProgressStep>()
  for (const step of steps) {
    const name = nameOf(step.messageId, step.state, step.recipient)
    if (!byName.has(name)) byName.set(name, step)
  }
  const first = [...byName.values()]
  // A receipt is told whatever their number; beyond the bound it is not remembered, so that a repetition is told again.
  const isKept = (step: ProgressStep): boolean =>
    !isReceipt(step) || known.get(step.messageId)!.receipts < BOUNDS.receiptsOfMessage
  const inserted = await insertStates(tx, first.filter(isKept))
  const repeated = await findStates(
    tx,
    first.filter(step => !isKept(step)),
  )
  return [...byName]
    .filter(([name, step]) => (isKept(step) ? inserted.has(name) : !repeated.has(name)))
    .map(([, step]) => step)
}

interface StateName {
  message_id: string
  state: string
  recipient: string
}

/** Answers the names of those that were not there. */
async function insertStates(tx: Tx, steps: ProgressStep[]): Promise<Set<string>> {
  const inserted = await tx.insert<StateName>(
    'message_states',
    steps.map(step => ({ ...rowOf(step), at: step.atMs })),
    'on conflict (message_id, state, recipient) do nothing returning message_id, state, recipient',
  )
  return new Set(inserted.map(row => nameOf(row.message_id, row.state, row.recipient)))
}

/** Answers the names of those that are there. */
async function findStates(tx: Tx, steps: ProgressStep[]): Promise<Set<string>> {
  if (steps.length === 0) return new Set()
  const r = tx.values({ message_id: 'text', state: 'text', recipient: 'text' }, steps.map(rowOf))
  const found = await tx.all<StateName>(
    `select s.message_id, s.state, s.recipient from ${r.sql} r join message_states s
       on s.message_id = r.message_id and s.state = r.state and s.recipient = r.recipient`,
    ...r.params,
  )
  return new Set(found.map(row => nameOf(row.message_id, row.state, row.recipient)))
}

const rowOf = ({ messageId, state, recipient }: ProgressStep) => ({ message_id: messageId, state, recipient })
const nameOf = (messageId: string, state: string, recipient: string): string => `${messageId}\n${state}\n${recipient}`

async function saveMessages(tx: Tx, known: Map<string, Known>): Promise<void> {
  const rows = [...known]
    .filter(([, message]) => message.changed)
    .map(([id, { state, receipts, serverId, reason, detail }]) => ({
      id,
      state,
      receipts,
      server_id: serverId,
      reason,
      detail,
    }))
  if (rows.length === 0) return
  const r = tx.values(
    { id: 'text', state: 'text', receipts: 'bigint', server_id: 'bigint', reason: 'text', detail: 'text' },
    rows,
  )
  await tx.run(
    `update messages set state = r.state, receipts = r.receipts, server_id = coalesce(r.server_id, messages.server_id), reason = r.reason,
       detail = r.detail, updated_at = ? from ${r.sql} r where messages.id = r.id`,
    tx.nowMs,
    ...r.params,
  )
}

/** A sent message may be asked for again by the recipient's devices; one that failed will not be. */
async function settleContents(tx: Tx, news: ProgressStep[]): Promise<void> {
  const rows = news.flatMap(step =>
    step.state === 'sent' || step.state === 'failed'
      ? [{ id: step.messageId, expires_at: step.state === 'sent' ? tx.nowMs + CONTENT_KEPT_MS : tx.nowMs }]
      : [],
  )
  if (rows.length === 0) return
  const r = tx.values({ id: 'text', expires_at: 'bigint' }, rows)
  await tx.run(
    `update message_contents set expires_at = r.expires_at from ${r.sql} r where message_contents.message_id = r.id`,
    ...r.params,
  )
}

async function endOrigins(tx: Tx, items: Progress[]): Promise<void> {
  const ended = items.flatMap(item => (item.commandId === null ? [] : [{ id: item.commandId }]))
  if (ended.length > 0) {
    const r = tx.values({ id: 'text' }, ended)
    await tx.run(`delete from commands where id in (select id from ${r.sql} r)`, ...r.params)
  }
  await settleItems(
    tx,
    items.flatMap(({ lease, inboxKey }) =>
      lease === null || inboxKey === null ? [] : [{ lease, key: inboxKey, reason: null, keepBody: false }],
    ),
  )
}

async function countUsage(tx: Tx, news: ProgressStep[]): Promise<void> {
  const counts = new Map<string, { accountId: string; metric: Metric; n: number }>()
  for (const { accountId, state } of news) {
    if (state !== 'sent' && state !== 'failed') continue
    const count = counts.get(`${accountId} ${state}`) ?? { accountId, metric: state, n: 0 }
    count.n++
    counts.set(`${accountId} ${state}`, count)
  }
  await addUsage(tx, [...counts.values()])
}

async function touchSessions(tx: Tx, news: ProgressStep[]): Promise<void> {
  const ids = [...new Set(news.map(step => step.event.sessionId))].sort()
  if (ids.length === 0) return
  const r = tx.values(
    { id: 'text' },
    ids.map(id => ({ id })),
  )
  await tx.run(`update sessions set last_event_at = ? where id in (select id from ${r.sql} r)`, tx.nowMs, ...r.params)
}

/** A message of ours that a receipt speaks of. */
export interface SentMessage {
  id: string
  accountId: string
  requestId: string
  platformId: string
  recipient: string
  state: MessageState
}

export async function readSentMessages(
  reader: Reader,
  input: { sessionId: string; platformIds: string[] },
): Promise<SentMessage[]> {
  const r = reader.values(
    { platform_id: 'text' },
    input.platformIds.map(id => ({ platform_id: id })),
  )
  return await reader.all<SentMessage>(
    `select m.id, m.account_id as "accountId", m.request_id as "requestId", m.platform_id as "platformId", m.recipient, m.state
     from messages m where m.session_id = ? and m.platform_id in (select platform_id from ${r.sql} r)`,
    input.sessionId,
    ...r.params,
  )
}

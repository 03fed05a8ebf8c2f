import type { SessionLease } from '../../domain/lease.ts'
import type { MessageState } from '../../domain/message.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import type { Tx } from '../transaction.ts'
import { addUsage, type Metric } from '../usage/usage.ts'
import { insertEvents } from '../events/events.ts'
import { finishItems } from '../inbox/inbox.ts'
import { touchSessions } from '../sessions/last-event.ts'
import { heldLeases } from '../leases/fence.ts'
import { insertNewSteps } from './message-states.ts'
import { advance, allowedSteps, type KnownMessage, type ProgressStep } from './progress-steps.ts'

export interface Progress {
  /** `null` only for messages of a logged-out device, which no host runs. */
  lease: SessionLease | null
  steps: ProgressStep[]
  /** The command that ends with it. */
  commandId: string | null
  /** The inbox item that reported it. */
  inboxKey: string | null
}

/** The ids of the events of new steps, and how many steps came after the message had failed. */
export type Progressed = { kind: 'done'; published: string[]; late: number } | { kind: 'lost' }

/**
 * Records progress of messages in one transaction: state, history of states, event with deliveries, usage, the end of
 * the command and of the inbox item. Known steps and steps after the end change nothing and publish nothing.
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
  const allowed = allowedSteps(steps, known)
  const newSteps = await insertNewSteps(
    tx,
    steps.filter(step => allowed.has(step)),
    known,
  )
  for (const step of newSteps) advance(known.get(step.messageId)!, step)
  await insertEvents(
    tx,
    newSteps.map(step => step.event),
  )
  await saveMessages(tx, known)
  await keepSandboxContents(tx, newSteps)
  await endOrigins(tx, held)
  await countUsage(tx, newSteps)
  await touchSessions(
    tx,
    newSteps.map(step => step.event.sessionId),
  )
  const published = new Set(newSteps)
  return items.map(item =>
    isHeld(item)
      ? {
          kind: 'done',
          published: item.steps.filter(step => published.has(step)).map(step => step.event.id),
          late: item.steps.filter(step => !allowed.has(step)).length,
        }
      : { kind: 'lost' },
  )
}

async function lockMessages(tx: Tx, steps: ProgressStep[]): Promise<Map<string, KnownMessage>> {
  const ids = [...new Set(steps.map(step => step.messageId))].sort()
  if (ids.length === 0) return new Map()
  const r = tx.ids(ids)
  const rows = await tx.all<{ id: string; state: MessageState; receipts: number }>(
    `select id, state, receipts from messages where id in (select id from ${r.sql} r) order by id${tx.forUpdate}`,
    ...r.params,
  )
  return new Map(
    rows.map(({ id, ...row }) => [id, { ...row, changed: false, serverId: null, reason: null, detail: null }]),
  )
}

async function saveMessages(tx: Tx, known: Map<string, KnownMessage>): Promise<void> {
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

/** The sandbox shows sent contents. Other contents are deleted with their command; the devices have copies. */
async function keepSandboxContents(tx: Tx, newSteps: ProgressStep[]): Promise<void> {
  const sent = newSteps.filter(step => step.state === 'sent').map(step => step.messageId)
  if (sent.length === 0) return
  const [r, named] = [tx.ids(sent), tx.among('c.id', sent)]
  await tx.run(
    `insert into message_contents (message_id, sealed, expires_at)
     select c.id, c.content, cast(? as bigint) from ${r.sql} r
     join commands c on c.id = r.id join sessions s on s.id = c.session_id
     where c.content is not null and s.platform = 'sandbox'${named.sql} on conflict (message_id) do nothing`,
    tx.nowMs + KEPT_MS.sentContents,
    ...r.params,
    ...named.params,
  )
}

async function endOrigins(tx: Tx, items: Progress[]): Promise<void> {
  const ended = items.flatMap(item => (item.commandId === null ? [] : [item.commandId]))
  if (ended.length > 0) {
    const [r, named] = [tx.ids(ended), tx.among('id', ended)]
    await tx.run(
      `delete from commands where id in (select id from ${r.sql} r)${named.sql}`,
      ...r.params,
      ...named.params,
    )
  }
  await finishItems(
    tx,
    items.flatMap(({ lease, inboxKey }) =>
      lease === null || inboxKey === null ? [] : [{ lease, key: inboxKey, reason: null, keepBody: false }],
    ),
  )
}

async function countUsage(tx: Tx, newSteps: ProgressStep[]): Promise<void> {
  const counts = new Map<string, { accountId: string; metric: Metric; n: number }>()
  for (const { accountId, state } of newSteps) {
    if (state !== 'sent' && state !== 'failed') continue
    const count = counts.get(`${accountId} ${state}`) ?? { accountId, metric: state, n: 0 }
    count.n++
    counts.set(`${accountId} ${state}`, count)
  }
  await addUsage(tx, [...counts.values()])
}

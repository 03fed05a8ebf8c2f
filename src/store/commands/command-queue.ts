import type { DueCommand } from '../../domain/command.ts'
import type { SessionLease } from '../../domain/lease.ts'
import type { Reader, Tx } from '../transaction.ts'
import { heldLeases, type Fenced } from '../leases/fence.ts'
import { COUNTED } from '../page.ts'
import type { FollowUpState } from '../../domain/message.ts'

const SELECT = `select c.id, c.session_id as "sessionId", c.queue, c.kind, c.sealed, c.attempt,
  c.due_at as "dueAt", c.message_id as "messageId", m.account_id as "accountId",
  m.request_id as "requestId", m.recipient, m.platform_id as "platformId", c.content, c.priority`

const JOINED = 'left join messages m on m.id = c.message_id'

export interface DueQuery {
  sessionId: string
  /** Queues and commands that are left out. */
  exceptQueues: string[]
  exceptIds: string[]
  /** Only these queues, if they are given. */
  onlyQueues?: string[]
  limit: number
}

/** The oldest due commands that are read first; if none of them is usable, the others are found by their queues. */
const EXAMINED = 1_000

/** The due commands of a session, oldest first, except those that the caller leaves out. */
export async function readDueCommands(reader: Reader, input: DueQuery): Promise<DueCommand[]> {
  const { sessionId, exceptQueues, exceptIds, limit } = input
  if (input.onlyQueues !== undefined) return await readOfQueues(reader, { ...input, onlyQueues: input.onlyQueues })
  const except = reader.values(
    { queue: 'text' },
    exceptQueues.map(queue => ({ queue })),
  )
  const known = reader.ids(exceptIds)
  const oldest = await reader.all<DueCommand>(
    `${SELECT} from (select * from commands where session_id = ? and due_at <= ${reader.nowSql}
       order by due_at, id limit ${EXAMINED}) c ${JOINED}
     where c.queue not in (select queue from ${except.sql} e) and c.id not in (select id from ${known.sql} k2)
     order by c.due_at, c.id limit ?`,
    sessionId,
    ...except.params,
    ...known.params,
    limit,
  )
  if (oldest.length > 0 || (exceptQueues.length === 0 && exceptIds.length === 0)) return oldest
  return (await areMoreDue(reader, sessionId)) ? await readByQueues(reader, input) : []
}

async function readOfQueues(
  reader: Reader,
  { sessionId, onlyQueues, exceptIds, limit }: DueQuery & { onlyQueues: string[] },
): Promise<DueCommand[]> {
  const queues = reader.values(
    { queue: 'text' },
    onlyQueues.map(queue => ({ queue })),
  )
  const known = reader.ids(exceptIds)
  return await reader.all<DueCommand>(
    `${SELECT} from ${queues.sql} q join commands c on c.session_id = ? and c.queue = q.queue
       and c.due_at <= ${reader.nowSql} ${JOINED}
     where c.id not in (select id from ${known.sql} k2) order by c.due_at, c.id limit ?`,
    ...queues.params,
    sessionId,
    ...known.params,
    limit,
  )
}

/** The queues with urgent commands that one read looks at. */
const URGENT_QUEUES = 128

export interface Outlook {
  /** Whether commands of the session become due later. */
  hasLater: boolean
  /** The queues with due commands of high priority. */
  urgentQueues: string[]
}

export async function lookAhead(reader: Reader, sessionId: string): Promise<Outlook> {
  const row = await reader.get<{ later: string | null; urgent: string | null }>(
    `select (select id from commands where session_id = ? and due_at > ${reader.nowSql}
         order by due_at, id limit 1) as later,
       (select id from commands where session_id = ? and priority is not null and due_at <= ${reader.nowSql}
         order by due_at, id limit 1) as urgent`,
    sessionId,
    sessionId,
  )
  const hasLater = row!.later !== null
  if (row!.urgent === null) return { hasLater, urgentQueues: [] }
  const urgent = await reader.all<{ queue: string }>(
    `select distinct queue from (
       select queue from commands where session_id = ? and priority is not null and due_at <= ${reader.nowSql}
       order by due_at, id limit ${URGENT_QUEUES}) u`,
    sessionId,
  )
  return { hasLater, urgentQueues: urgent.map(({ queue }) => queue) }
}

async function areMoreDue(reader: Reader, sessionId: string): Promise<boolean> {
  const row = await reader.get(
    `select id from commands where session_id = ? and due_at <= ${reader.nowSql}
     order by due_at, id limit 1 offset ${EXAMINED}`,
    sessionId,
  )
  return row !== undefined
}

/** The first command of each queue: the query steps from queue to queue in the index, without reading their rows. */
async function readByQueues(
  reader: Reader,
  { sessionId, exceptQueues, exceptIds, limit }: DueQuery,
): Promise<DueCommand[]> {
  const except = reader.values(
    { queue: 'text' },
    exceptQueues.map(queue => ({ queue })),
  )
  const known = reader.ids(exceptIds)
  return await reader.all<DueCommand>(
    `with recursive queues(queue) as (
       select min(queue) from commands where session_id = ?
       union all
       select (select min(c.queue) from commands c where c.session_id = ? and c.queue > q.queue)
       from queues q where q.queue is not null)
     ${SELECT} from (select queue from queues where queue is not null limit ?) q join commands c on c.id = (
       select h.id from commands h where h.session_id = ? and h.queue = q.queue order by h.due_at, h.id limit 1) ${JOINED}
     where q.queue not in (select queue from ${except.sql} e)
       and c.due_at <= ${reader.nowSql} and c.id not in (select id from ${known.sql} k2)
     order by c.due_at, c.id limit ?`,
    sessionId,
    sessionId,
    exceptQueues.length + EXAMINED,
    sessionId,
    ...except.params,
    ...known.params,
    limit,
  )
}

/** The sessions with a due command or a waiting request. */
export async function readDueSessions(reader: Reader, sessionIds: string[]): Promise<string[]> {
  if (sessionIds.length === 0) return []
  const r = reader.ids(sessionIds)
  const rows = await reader.all<{ id: string }>(
    `select r.id from ${r.sql} r
     where exists (select 1 from commands c where c.session_id = r.id and c.due_at <= ${reader.nowSql})
       or exists (select 1 from requests q where q.session_id = r.id)`,
    ...r.params,
  )
  return rows.map(row => row.id)
}

export interface BegunAttempt {
  lease: SessionLease
  commandId: string
  attempt: number
}

/** `gone`: the command was cancelled before. */
export type Begun = 'begun' | 'gone' | 'lost'

/** Records attempts before they are made: from then on the message cannot be cancelled. */
export async function beginAttempts(tx: Tx, attempts: BegunAttempt[]): Promise<Begun[]> {
  const holds = await heldLeases(
    tx,
    attempts.map(each => each.lease),
  )
  const held = attempts.filter(each => holds(each.lease))
  const r = tx.values(
    { id: 'text', attempt: 'bigint' },
    held.map(({ commandId, attempt }) => ({ id: commandId, attempt })).sort((a, b) => (a.id < b.id ? -1 : 1)),
  )
  const named = tx.among(
    'commands.id',
    held.map(each => each.commandId),
  )
  const begun = await tx.all<{ id: string }>(
    `update commands set attempt = r.attempt from ${r.sql} r where commands.id = r.id${named.sql} returning commands.id`,
    ...r.params,
    ...named.params,
  )
  const ids = new Set(begun.map(row => row.id))
  return attempts.map(each => (!holds(each.lease) ? 'lost' : ids.has(each.commandId) ? 'begun' : 'gone'))
}

/** Devices that one query reads. */
const DEVICES = 16

/** The due commands of logged-out devices, which no host runs, so any host fails them. */
export async function readUnhostedCommands(reader: Reader, limit: number): Promise<DueCommand[]> {
  const devices = await reader.all<{ id: string }>(
    `select s.id from sessions s where s.state = 'logged_out' and (
       select c.id from commands c where c.session_id = s.id and c.due_at <= ${reader.nowSql} limit 1) is not null
     order by s.id limit ${DEVICES}`,
  )
  const due: DueCommand[] = []
  for (const { id } of devices) {
    if (due.length >= limit) break
    due.push(
      ...(await readDueCommands(reader, { sessionId: id, exceptQueues: [], exceptIds: [], limit: limit - due.length })),
    )
  }
  return due
}

interface QueueDepth {
  commands: number
  oldestCommandDueAt: number | null
}

export async function readQueueDepth(reader: Reader): Promise<QueueDepth> {
  const now = await reader.now()
  return (await reader.get<QueueDepth>(
    `select count(*) as commands, min(due_at) as "oldestCommandDueAt" from (
       select due_at from commands order by session_id, due_at, id limit ${COUNTED}) c where due_at <= ?`,
    now,
  ))!
}

export interface EndedFollowUp {
  /** `null` only for messages of a logged-out device, which no host runs. */
  lease: SessionLease | null
  commandId: string
  messageId: string
  state: FollowUpState
  detail: string | null
}

/** Ends an edit or a revoke, and records its result among the message's states; a later one replaces it. */
export async function endFollowUp(tx: Tx, input: EndedFollowUp): Promise<Fenced> {
  const { lease, commandId, messageId, state, detail } = input
  if (lease !== null && !(await heldLeases(tx, [lease]))(lease)) return 'lost'
  const ended = await tx.run('delete from commands where id = ?', commandId)
  if (ended === 0) return 'done'
  await tx.insert(
    'message_states',
    [{ message_id: messageId, state, recipient: '', at: tx.nowMs, detail }],
    'on conflict (message_id, state, recipient) do update set at = excluded.at, detail = excluded.detail',
  )
  await tx.run('update messages set updated_at = ? where id = ?', tx.nowMs, messageId)
  return 'done'
}

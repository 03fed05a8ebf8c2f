import { KEPT_MS } from '../../domain/retention.ts'
import type { PlatformName, SessionState } from '../../domain/session.ts'
import type { Reader, Tx } from '../transaction.ts'
import { COUNTED } from '../page.ts'

export interface Node {
  id: string
  roles: string
  address: string
  version: string
  /** Where it listens, as `net/own-endpoints.ts` writes it. */
  listens: string
  /** How far its machine's clock is ahead of the database's. */
  clockAheadMs: number
  startedAt: number
  seenAt: number
}

export type NewNode = Omit<Node, 'startedAt' | 'seenAt'>

/** Says that this node lives; called every few seconds. */
export async function announceNode(tx: Tx, node: NewNode): Promise<void> {
  await tx.insert(
    'nodes',
    [
      {
        id: node.id,
        roles: node.roles,
        address: node.address,
        version: node.version,
        listens: node.listens,
        clock_ahead_ms: node.clockAheadMs,
        started_at: tx.nowMs,
        seen_at: tx.nowMs,
      },
    ],
    `on conflict (id) do update set seen_at = excluded.seen_at, address = excluded.address, listens = excluded.listens,
       clock_ahead_ms = excluded.clock_ahead_ms`,
  )
  await tx.run('delete from nodes where seen_at < ?', tx.nowMs - KEPT_MS.nodes)
}

/** Changes nothing, but is a write: only a database that takes writes lets it pass. */
export async function touchNode(tx: Tx, id: string): Promise<void> {
  await tx.run('update nodes set seen_at = seen_at where id = ?', id)
}

export async function forgetNode(tx: Tx, id: string): Promise<void> {
  await tx.run('delete from nodes where id = ?', id)
}

export async function listNodes(reader: Reader): Promise<Node[]> {
  return await reader.all<Node>(
    `select id, roles, address, version, listens, clock_ahead_ms as "clockAheadMs", started_at as "startedAt",
       seen_at as "seenAt" from nodes order by id`,
  )
}

/** A node that says nothing for so long has gone, and its ports may be anybody's. */
const LISTENS_FOR_MS = 600_000

/** What the nodes that live listen on, as they wrote it. */
export async function listListening(reader: Reader): Promise<string[]> {
  const rows = await reader.all<{ listens: string }>(
    'select listens from nodes where seen_at > ?',
    (await reader.now()) - LISTENS_FOR_MS,
  )
  return rows.map(row => row.listens)
}

export interface QueueDepth {
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

export interface NumberCount {
  platform: PlatformName
  state: SessionState
  isHosted: boolean
  n: number
}

/** How many numbers there are of each kind. */
export async function countNumbers(reader: Reader): Promise<NumberCount[]> {
  const rows = await reader.all<Omit<NumberCount, 'isHosted'> & { hosted: number }>(
    `select s.platform, s.state, case when h.id is null then 0 else 1 end as hosted, count(*) as n
     from sessions s left join leases l on l.kind = 'session' and l.id = s.id
       left join holders h on h.id = l.owner and h.lasts_until > ${reader.nowSql}
     group by 1, 2, 3`,
  )
  return rows.map(({ hosted, ...row }) => ({ ...row, isHosted: hosted === 1 }))
}

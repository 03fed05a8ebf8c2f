import { BOUNDS } from '../../domain/bounds.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import type { Reader, Tx } from '../transaction.ts'

export interface Node {
  id: string
  roles: string
  address: string
  version: string
  /** The endpoints that it listens on, as `net/own-endpoints.ts` writes them. */
  listens: string
  /** How far its machine's clock is ahead of the database's. */
  clockAheadMs: number
  startedAt: number
  seenAt: number
}

export type NewNode = Omit<Node, 'startedAt' | 'seenAt'>

/** Records the heartbeat of this process; called every few seconds, and when its endpoints change. */
export async function announceNode(tx: Tx, node: NewNode): Promise<void> {
  const before = await tx.get<{ listens: string }>('select listens from nodes where id = ?', node.id)
  if (before?.listens !== node.listens) tx.notify({ about: 'nodes' })
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

/** Writes without a change: only a database that accepts writes allows it. */
export async function touchNode(tx: Tx, id: string): Promise<void> {
  await tx.run('update nodes set seen_at = seen_at where id = ?', id)
}

export async function forgetNode(tx: Tx, id: string): Promise<void> {
  await tx.run('delete from nodes where id = ?', id)
}

export async function listNodes(reader: Reader): Promise<Node[]> {
  return await reader.all<Node>(
    `select id, roles, address, version, listens, clock_ahead_ms as "clockAheadMs", started_at as "startedAt",
       seen_at as "seenAt" from nodes order by id limit ${BOUNDS.nodesShown}`,
  )
}

/** A process without a heartbeat for this long has ended, and other programs may use its ports. */
const LISTENS_FOR_MS = 600_000

/** The endpoints of living processes, as they wrote them. */
export async function listListening(reader: Reader): Promise<string[]> {
  const rows = await reader.all<{ listens: string }>(
    'select listens from nodes where seen_at > ?',
    (await reader.now()) - LISTENS_FOR_MS,
  )
  return rows.map(row => row.listens)
}

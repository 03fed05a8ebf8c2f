import { rateOf, refill } from '../../runtime/token-bucket.ts'
import type { Reader, Tx } from '../transaction.ts'

/** How much of a request allowance one process used; negative if it returns some. */
export interface MeterUse {
  id: string
  n: number
  perSecond: number
  burst: number
}

/** A process without a heartbeat for this long serves no requests. */
export const ALIVE_MS = 10_000

/**
 * Subtracts the use of one process from the allowances that all processes share, and returns the rest of each. The rest may
 * be negative if several processes used an allowance at the same time: it has to refill above zero first.
 */
export async function syncRequestMeters(tx: Tx, items: MeterUse[]): Promise<number[]> {
  const sorted = [...items].sort((a, b) => (a.id < b.id ? -1 : 1))
  await tx.insert(
    'request_meters',
    sorted.map(({ id, burst }) => ({ id, tokens: burst, tokens_at: tx.nowMs })),
    'on conflict (id) do nothing',
  )
  const ids = tx.ids(sorted.map(({ id }) => id))
  const rows = await tx.all<{ id: string; tokens: number; tokens_at: number }>(
    `select id, tokens, tokens_at from request_meters where id in (select id from ${ids.sql} i) order by id${tx.forUpdate}`,
    ...ids.params,
  )
  const before = new Map(rows.map(row => [row.id, { tokens: row.tokens, at: row.tokens_at }]))
  const after = new Map(
    sorted.map(({ id, n, perSecond, burst }) => [
      id,
      Math.min(burst, refill(before.get(id), rateOf(perSecond, burst), tx.nowMs).tokens - n),
    ]),
  )
  const r = tx.values(
    { id: 'text', tokens: 'double precision' },
    [...after].map(([id, tokens]) => ({ id, tokens })),
  )
  await tx.run(
    `update request_meters set tokens = r.tokens, tokens_at = ? from ${r.sql} r where request_meters.id = r.id`,
    tx.nowMs,
    ...r.params,
  )
  return items.map(({ id }) => after.get(id)!)
}

/** How many processes serve requests now. */
export async function countApiNodes(reader: Reader): Promise<number> {
  const since = (await reader.now()) - ALIVE_MS
  const rows = await reader.all<{ roles: string }>('select roles from nodes where seen_at > ?', since)
  return rows.filter(({ roles }) => roles.split(',').includes('api')).length
}

interface NewStream {
  id: string
  accountId: string
  nodeId: string
  max: number
}

/** Counts an event stream of an account over all living processes. `false` if the limit is reached. */
export async function openAccountStream(tx: Tx, stream: NewStream): Promise<boolean> {
  const { id, accountId, nodeId, max } = stream
  // The lock lets the second of two concurrent calls see the first.
  await tx.get(`select id from accounts where id = ?${tx.forUpdate}`, accountId)
  await tx.run(
    `delete from open_streams where account_id = ? and node_id <> ?
       and node_id not in (select id from nodes where seen_at > ?)`,
    accountId,
    nodeId,
    tx.nowMs - ALIVE_MS,
  )
  const { n } = (await tx.get<{ n: number }>('select count(*) as n from open_streams where account_id = ?', accountId))!
  if (n >= max) return false
  await tx.insert('open_streams', [{ id, account_id: accountId, node_id: nodeId }])
  return true
}

export async function closeAccountStream(tx: Tx, id: string): Promise<void> {
  await tx.run('delete from open_streams where id = ?', id)
}

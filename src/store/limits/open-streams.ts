import type { Tx } from '../transaction.ts'
import { ALIVE_MS } from './request-meters.ts'

export interface NewStream {
  id: string
  accountId: string
  nodeId: string
  max: number
}

/** Counts an event stream of an account, over all nodes that live. `false` where as many are open as may be. */
export async function openAccountStream(tx: Tx, stream: NewStream): Promise<boolean> {
  const { id, accountId, nodeId, max } = stream
  // Of two that open at once the second sees the first.
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

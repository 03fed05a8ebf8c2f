import type { Reader, Tx } from '../../tx.ts'

/** Something for the sandbox network to do; its answer is written like a worker's. */
export async function askSimulator(
  tx: Tx,
  input: { id: string; sealed: Uint8Array; timeoutMs: number },
): Promise<void> {
  await tx.insert('simulator_requests', [
    { id: input.id, sealed: input.sealed, created_at: tx.nowMs, expires_at: tx.nowMs + input.timeoutMs },
  ])
  tx.notify({ about: 'sandbox_requests' })
}

export async function hasSimulatorRequests(reader: Reader): Promise<boolean> {
  return (await reader.get('select 1 as waiting from simulator_requests limit 1')) !== undefined
}

/** Takes what waits, in the order it was asked; what nobody waits for any more is dropped. */
export async function takeSimulatorRequests(
  tx: Tx,
  input: { limit: number },
): Promise<Array<{ id: string; sealed: Uint8Array }>> {
  const skipLocked = tx.dialect === 'postgres' ? ' for update skip locked' : ''
  const rows = await tx.all<{ id: string; sealed: Uint8Array; expires_at: number }>(
    `delete from simulator_requests where id in (select id from simulator_requests order by id limit ?${skipLocked})
     returning id, sealed, expires_at`,
    input.limit,
  )
  return rows
    .filter(row => row.expires_at > tx.nowMs)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, sealed }) => ({ id, sealed }))
}

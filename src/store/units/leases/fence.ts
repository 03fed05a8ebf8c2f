import type { Lease } from '../../../domain/lease.ts'
import type { Tx } from '../../tx.ts'

/**
 * Which of these leases are still held, in one statement for a whole batch. The rows are locked in order of resource,
 * so that a thief waits for this unit and two batches never wait for each other in a circle; renewals do not conflict.
 */
export async function heldLeases(tx: Tx, leases: Lease[]): Promise<(lease: Lease) => boolean> {
  const wanted = new Map(leases.map(lease => [nameOf(lease), lease]))
  if (wanted.size === 0) return () => false
  const r = tx.values(
    { resource: 'text', epoch: 'bigint' },
    [...wanted.values()].map(({ resource, epoch }) => ({ resource, epoch })),
  )
  const lock = tx.dialect === 'postgres' ? ' for key share of l' : ''
  const rows = await tx.all<Lease>(
    `select l.resource, l.epoch from ${r.sql} r join leases l on l.resource = r.resource and l.epoch = r.epoch
     order by l.resource${lock}`,
    ...r.params,
  )
  const held = new Set(rows.map(nameOf))
  return lease => held.has(nameOf(lease))
}

const nameOf = ({ resource, epoch }: Lease): string => `${epoch} ${resource}`

import type { Lease } from '../../domain/lease.ts'
import type { Tx } from '../transaction.ts'

/** The outcome of a transaction under a lease: it has changed nothing if the lease was lost. */
export type Fenced = 'done' | 'lost'

/**
 * Which of these leases their owners still have, with one query for a batch. The rows are locked in the order of their
 * names, so that another owner waits for this transaction and two batches cannot deadlock.
 */
export async function heldLeases(tx: Tx, leases: Lease[]): Promise<(lease: Lease) => boolean> {
  const wanted = new Map(leases.map(lease => [textOf(lease), lease]))
  if (wanted.size === 0) return () => false
  const r = tx.keys(
    { kind: 'text', id: 'text', epoch: 'bigint', owner: 'text' },
    [...wanted.values()].map(({ kind, id, epoch, owner }) => ({ kind, id, epoch, owner })),
  )
  const lock = tx.dialect === 'postgres' ? ' for key share of l' : ''
  const rows = await tx.all<Lease>(
    `select l.kind, l.id, l.epoch, l.owner from ${r.sql} r
     join leases l on l.kind = r.kind and l.id = r.id and l.epoch = r.epoch and l.owner = r.owner
     order by l.kind, l.id${lock}`,
    ...r.params,
  )
  const held = new Set(rows.map(textOf))
  return lease => held.has(textOf(lease))
}

const textOf = ({ kind, id, epoch, owner }: Lease): string => `${epoch} ${kind} ${id} ${owner}`

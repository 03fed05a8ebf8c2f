import { SHARDS } from '../../domain/delivery.ts'
import { type ShardLease, shardLease } from '../../domain/lease.ts'
import type { Tx } from '../transaction.ts'
import { recordHeartbeat, endLeaseOwner, type LeaseOwner, type LivingLeaseOwner } from '../leases/lease-owners.ts'
import { addLeases, readLeasesOf, releaseLeases, takeLeases } from '../leases/leases.ts'

export interface ShardAssignment {
  /** The leases that this dispatcher owns now. A missing one was lost. */
  held: ShardLease[]
  /** How many shards a dispatcher may own, and how many of this one are surplus. */
  share: number
  surplus: number
  /** All dispatchers. */
  owners: LeaseOwner[]
}

/** Records the dispatcher's heartbeat and takes free shards up to its fair share. */
export async function rebalanceShards(
  tx: Tx,
  dispatcher: Pick<LivingLeaseOwner, 'id' | 'nodeId' | 'lastsMs' | 'leaseMs'>,
): Promise<ShardAssignment> {
  const { id } = dispatcher
  const { isNew, owners } = await recordHeartbeat(tx, { ...dispatcher, pool: 'shards', room: SHARDS })
  if (isNew) await addLeases(tx, { names: Array.from({ length: SHARDS }, (_, i) => shardLease(i)), pool: 'shards' })
  const share = Math.ceil(SHARDS / owners.length)
  const kept = await readLeasesOf<'shard'>(tx, id)
  const missing = share - kept.length
  const taken = await takeLeases<'shard'>(tx, { owner: id, pool: 'shards', limit: missing })
  return { held: [...kept, ...taken], share, surplus: Math.max(0, -missing), owners }
}

/** Releases shards; with `forGood` the dispatcher is no lease owner any more. */
export async function leaveShards(
  tx: Tx,
  input: { owner: string; leases: ShardLease[]; forGood: boolean },
): Promise<void> {
  await releaseLeases(tx, input.leases)
  if (input.forGood) await endLeaseOwner(tx, { id: input.owner })
  tx.notify({ about: 'shards' })
}

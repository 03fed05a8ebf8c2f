import { SHARDS } from '../../domain/delivery.ts'
import { type ShardLease, shardLease } from '../../domain/lease.ts'
import type { Tx } from '../transaction.ts'
import { beat, endHolder, type Holder, type LivingHolder } from '../leases/lease-owners.ts'
import { addLeases, readHeldBy, releaseLeases, takeLeases } from '../leases/leases.ts'

export interface TendedShards {
  /** What is held now. A lease that is missing was lost. */
  held: ShardLease[]
  /** How many one dispatcher may hold, and how many of ours are beyond that. */
  share: number
  surplus: number
  /** All dispatchers. */
  holders: Holder[]
}

/** Says that this dispatcher lives, and takes free shards up to its fair share. */
export async function tendShards(
  tx: Tx,
  { id, nodeId, lastsMs }: Pick<LivingHolder, 'id' | 'nodeId' | 'lastsMs'>,
): Promise<TendedShards> {
  const { isNew, holders } = await beat(tx, { id, nodeId, lastsMs, pool: 'shards', room: SHARDS })
  if (isNew) await addLeases(tx, { names: Array.from({ length: SHARDS }, (_, i) => shardLease(i)), pool: 'shards' })
  const share = Math.ceil(SHARDS / holders.length)
  const kept = await readHeldBy<'shard'>(tx, id)
  const missing = share - kept.length
  const taken = await takeLeases<'shard'>(tx, { owner: id, pool: 'shards', limit: missing })
  return { held: [...kept, ...taken], share, surplus: Math.max(0, -missing), holders }
}

/** Gives shards back; a dispatcher that leaves gives back its place as well. */
export async function leaveShards(
  tx: Tx,
  input: { owner: string; leases: ShardLease[]; forGood: boolean },
): Promise<void> {
  await releaseLeases(tx, input.leases)
  if (input.forGood) await endHolder(tx, { id: input.owner })
  tx.notify({ about: 'shards' })
}

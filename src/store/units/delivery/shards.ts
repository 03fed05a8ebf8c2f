import { SHARDS } from '../../../domain/delivery.ts'
import { type LeaseName, type ShardLease, shardLease } from '../../../domain/lease.ts'
import type { Tx } from '../../tx.ts'
import { addLeases, releaseLeases, renewLeases, takeLeases } from '../leases/leases.ts'

export interface TendedShards {
  /** What is held now, renewed or new. A lease that is missing was lost. */
  held: ShardLease[]
  /** How many one dispatcher may hold, and how many of ours are beyond that. */
  share: number
  surplus: number
}

const presenceOf = (owner: string): LeaseName<'dispatcher'> => ({ kind: 'dispatcher', id: owner })

/**
 * Renews this dispatcher's shards and takes free ones up to its fair share. A dispatcher that lives is known by a lease
 * of its own, so that one without any shard yet is counted too.
 */
export async function tendShards(
  tx: Tx,
  input: { owner: string; held: ShardLease[]; ttlMs: number },
): Promise<TendedShards> {
  const { owner, ttlMs } = input
  await addLeases(tx, allShards())
  await tx.insert(
    'leases',
    [{ ...presenceOf(owner), owner, epoch: 1, expires_at: tx.nowMs + ttlMs }],
    'on conflict (kind, id) do update set expires_at = excluded.expires_at',
  )
  await tx.run("delete from leases where kind = 'dispatcher' and expires_at <= ?", tx.nowMs)
  const { n } = (await tx.get<{ n: number }>("select count(*) as n from leases where kind = 'dispatcher'"))!
  const share = Math.ceil(SHARDS / Math.max(n, 1))
  const renewed = await renewLeases(tx, { owner, leases: input.held, ttlMs })
  const missing = share - renewed.length
  const taken = missing > 0 ? await takeLeases(tx, { owner, kind: 'shard', limit: missing, ttlMs }) : []
  return { held: [...renewed, ...taken], share, surplus: Math.max(0, -missing) }
}

const allShards = (): LeaseName[] => Array.from({ length: SHARDS }, (_, shard) => shardLease(shard))

/** Gives shards back; a dispatcher that leaves gives back its place as well. */
export async function leaveShards(
  tx: Tx,
  input: { owner: string; leases: ShardLease[]; forGood: boolean },
): Promise<void> {
  await releaseLeases(tx, input)
  if (input.forGood) await tx.run("delete from leases where kind = 'dispatcher' and id = ?", presenceOf(input.owner).id)
  tx.notify({ about: 'shards' })
}

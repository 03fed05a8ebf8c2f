import { SHARDS, shardLease } from '../../domain/delivery.ts'
import type { Tx } from '../tx.ts'
import { addLeases, type Lease, releaseLeases, renewLeases, takeLeases } from './leases.ts'

export interface TendedShards {
  /** What is held now, renewed or new. A lease that is missing was lost. */
  held: Lease[]
  /** How many one dispatcher may hold, and how many of ours are beyond that. */
  share: number
  surplus: number
  nowMs: number
}

const presenceOf = (owner: string): string => `dispatcher:${owner}`

/**
 * Renews this dispatcher's shards and takes free ones up to its fair share. A dispatcher that lives is known by a lease
 * of its own, so that one without any shard yet is counted too.
 */
export async function tendShards(
  tx: Tx,
  input: { owner: string; held: Lease[]; ttlMs: number },
): Promise<TendedShards> {
  const { owner, ttlMs } = input
  await addLeases(tx, allShards())
  await tx.insert(
    'leases',
    [{ resource: presenceOf(owner), owner, epoch: 1, expires_at: tx.nowMs + ttlMs }],
    'on conflict (resource) do update set expires_at = excluded.expires_at',
  )
  await tx.run("delete from leases where resource like 'dispatcher:%' and expires_at <= ?", tx.nowMs)
  const { n } = (await tx.get<{ n: number }>("select count(*) as n from leases where resource like 'dispatcher:%'"))!
  const share = Math.ceil(SHARDS / Math.max(n, 1))
  const renewed = await renewLeases(tx, { owner, leases: input.held, ttlMs })
  const missing = share - renewed.length
  const taken = missing > 0 ? await takeLeases(tx, { owner, prefix: 'shard:', limit: missing, ttlMs }) : []
  return { held: [...renewed, ...taken], share, surplus: Math.max(0, -missing), nowMs: tx.nowMs }
}

const allShards = (): string[] => Array.from({ length: SHARDS }, (_, shard) => shardLease(shard))

/** Gives shards back; a dispatcher that leaves gives back its place as well. */
export async function leaveShards(tx: Tx, input: { owner: string; leases: Lease[]; forGood: boolean }): Promise<void> {
  await releaseLeases(tx, input)
  if (input.forGood) await tx.run('delete from leases where resource = ?', presenceOf(input.owner))
  tx.notify('deliveries', 'shards')
}

/** Those of the leases whose epoch is still the resource's; see `holdsLease`. */
export async function heldLeases(tx: Tx, leases: Lease[]): Promise<Set<string>> {
  const distinct = new Map(leases.map(lease => [leaseKey(lease), lease]))
  const sorted = [...distinct.values()].sort((a, b) => (a.resource < b.resource ? -1 : 1))
  const r = tx.values(
    { resource: 'text', epoch: 'bigint' },
    sorted.map(({ resource, epoch }) => ({ resource, epoch })),
  )
  const lock = tx.dialect === 'postgres' ? ' for key share of l' : ''
  const rows = await tx.all<Lease>(
    `select l.resource, l.epoch from ${r.sql} r join leases l on l.resource = r.resource and l.epoch = r.epoch
     order by l.resource${lock}`,
    ...r.params,
  )
  return new Set(rows.map(leaseKey))
}

export const leaseKey = ({ resource, epoch }: Lease): string => `${resource} ${epoch}`

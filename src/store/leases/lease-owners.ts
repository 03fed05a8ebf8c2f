import type { LeaseHeartbeat } from '../../domain/lease-owner-watch.ts'
import type { Pool } from '../../domain/lease.ts'
import type { LeaseShare } from '../../domain/fair-share.ts'
import type { Tx } from '../transaction.ts'

/** An owner of leases in a pool, as its heartbeat describes it. */
export interface LivingLeaseOwner {
  id: string
  nodeId: string
  pool: Pool
  /** How many leases it may own. */
  room: number
  /** How long it continues without another heartbeat. */
  lastsMs: number
  /** How long its leases are its own after a heartbeat, if not as long as those of the owner that judges. */
  leaseMs?: number
}

export interface LeaseOwner extends LeaseHeartbeat, LeaseShare {
  nodeId: string
}

export interface Heartbeat {
  /** It had no row: the leases that it owned before are free, or belong to another. */
  isNew: boolean
  /** All owners of the pool, including itself. */
  owners: LeaseOwner[]
  nowMs: number
}

/** Records the heartbeat of a lease owner: one row, however many leases it has. */
export async function recordHeartbeat(tx: Tx, owner: LivingLeaseOwner): Promise<Heartbeat> {
  const held = (await tx.get<{ n: number }>('select count(*) as n from leases where owner = ?', owner.id))!
  const [now] = await tx.insert<{ beat: number }>(
    'holders',
    [
      {
        id: owner.id,
        node_id: owner.nodeId,
        pool: owner.pool,
        leases: held.n,
        room: owner.room,
        beat: 1,
        lasts_until: tx.nowMs + owner.lastsMs,
        lease_ms: owner.leaseMs ?? null,
      },
    ],
    `on conflict (id) do update set leases = excluded.leases, room = excluded.room, beat = holders.beat + 1,
       lasts_until = excluded.lasts_until, lease_ms = excluded.lease_ms returning beat`,
  )
  return { isNew: now!.beat === 1, owners: await readLeaseOwners(tx, owner.pool), nowMs: tx.nowMs }
}

export async function readLeaseOwners(tx: Tx, pool: Pool): Promise<LeaseOwner[]> {
  return await tx.all<LeaseOwner>(
    'select id, node_id as "nodeId", leases, room, beat, lease_ms as "leaseMs" from holders where pool = ? order by id',
    pool,
  )
}

/**
 * Frees all leases of an owner that has stopped or died. With `beat` only if that is still its last heartbeat: it may have
 * sent another one meanwhile.
 */
export async function endLeaseOwner(tx: Tx, { id, beat: last }: { id: string; beat?: number }): Promise<boolean> {
  const [ended] = await tx.all<{ pool: Pool }>(
    `delete from holders where id = ? and (beat = ? or ? = 1) returning pool`,
    id,
    last ?? 0,
    last === undefined ? 1 : 0,
  )
  if (ended === undefined) return false
  await tx.run('update leases set owner = null, changed_at = ? where owner = ?', tx.nowMs, id)
  await tx.run('update pairings set claimed_until = 0 where owner = ? and claimed_until > 0', id)
  tx.notify({ about: ended.pool === 'shards' ? 'shards' : 'hosts' })
  return true
}

/**
 * Whether an owner has a row, which stays until the transaction ends: if the owner is declared dead meanwhile, the leases
 * that it takes here are freed with the rest.
 */
export async function isKnown(tx: Tx, id: string): Promise<boolean> {
  const lock = tx.dialect === 'postgres' ? ' for key share' : ''
  return (await tx.get(`select id from holders where id = ?${lock}`, id)) !== undefined
}

/** Ends owners that no other owner has declared dead, long after their last heartbeat. */
export async function dropSilentLeaseOwners(tx: Tx, beforeMs: number): Promise<number> {
  const silent = await tx.all<{ id: string; beat: number }>(
    'select id, beat from holders where lasts_until < ? order by id limit 100',
    beforeMs,
  )
  for (const each of silent) await endLeaseOwner(tx, each)
  return silent.length
}
